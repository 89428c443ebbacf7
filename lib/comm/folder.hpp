// Ranks that share nothing but a folder, such as the jobs of an array: messages are files. This is
// slow (some milliseconds per message), but chains communicate rarely.
//
// Message n of a rank is the file n.rank, written under another name and renamed when it is
// complete. A rank removes its messages once it knows that all ranks have read them: those before
// an allgather that has finished, and those of an exchange when the peer has sent the next.
#pragma once

#include "lib/comm/comm.hpp"

namespace nnp {

constexpr size_t max_folder_path = 1024;

struct Folder {
  char path[max_folder_path];
  int32_t rank = 0, size = 1;
  double patience = 0;       // seconds to wait for a message
  uint64_t messages = 0;     // sent to all, so far
  uint64_t kept_from = 0;    // the first of them that may still be read
  uint64_t *sent = nullptr;  // sent to each single rank
};

// Creates the folder if necessary, and registers the rank in it; fails if that rank was registered
// before.
Status folder_open(Folder &folder, const char *path, Error *err);
Comm folder_comm(Folder &folder);

}  // namespace nnp
