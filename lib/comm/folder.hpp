// Ranks that share nothing but a folder, as the jobs of an array do: messages are files. Slow (some
// milliseconds a message), but chains meet rarely.
//
// Message number n of a rank is the file n.rank, written under another name and renamed when it is
// whole. A rank removes its messages once it knows that all have read them: those before an allgather
// that is over, and an exchange's when the peer has sent the next.
#pragma once

#include "lib/comm/comm.hpp"

namespace nnp {

constexpr size_t max_folder_path = 1024;

struct Folder {
  char path[max_folder_path];
  int32_t rank = 0, size = 1;
  double patience = 0;       // seconds to wait for a message
  uint64_t messages = 0;     // for all, so far
  uint64_t kept_from = 0;    // the first of them that may still be read
  uint64_t *sent = nullptr;  // to each rank alone
};

// Makes the folder if it is not there, and takes the rank's place in it: fails if it was taken.
Status folder_open(Folder &folder, const char *path, Error *err);
Comm folder_comm(Folder &folder);

}  // namespace nnp
