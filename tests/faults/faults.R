# faults.R FAULTS: in a process that was started with the library FAULTS (LD_PRELOAD), the k-th block of
# memory, thread or piece of a disk that the package asks for is refused, for all k. The call ends with an
# R error that says so, and the next one gives the draws of an undisturbed one.
library(nnpost)
dyn.load(commandArgs(TRUE)[1])
arm <- function(name, number) invisible(.C("nnpost_fault_r", name, as.integer(number)))
left <- function() .C("nnpost_fault_left", number = 0L)$number

x <- matrix(sin(1:60), 30)
y <- abs(x[, 1]) - x[, 2] / 2
net <- nn_input(2) |> nn_dense(3) |> nn_activation("relu") |> nn_dense(1) |> nn_gaussian()
path <- tempfile()
calls <- list(
  sample = function()
    nn_sample(net, x, y, chains = 2, draws = 5, seed = 1, threads = 2, progress = FALSE)$draws,
  predict = function() {
    fit <- nn_sample(net, x, y, chains = 1, draws = 5, seed = 1, threads = 1, progress = FALSE)
    predict(fit, x[1:3, ])
  },
  file = function() {
    on.exit(unlink(path))
    nn_sample(net, x, y, chains = 2, draws = 5, seed = 1, threads = 2, progress = FALSE,
              file = path)$draws[, , ]
  }
)

disturb <- function(call, name, expected) {
  for (k in seq_len(1000)) {
    arm(name, k)
    made <- tryCatch(call(), error = identity)
    reached <- left() <= 0
    arm("", 0)
    if (!reached) return(k - 1)
    if (!inherits(made, "error")) stop(name, " number ", k, " failed, and nothing was said")
    if (!nzchar(conditionMessage(made))) stop(name, " number ", k, ": an error without words")
    gc()
    if (!identical(call(), expected)) stop("after ", name, " number ", k, " the results differ")
  }
  stop(name, ": no end")
}

reached <- 0
for (call in names(calls)) {
  expected <- calls[[call]]()
  for (name in c("aligned_alloc", "pthread_create", if (call == "file") "posix_fallocate")) {
    number <- disturb(calls[[call]], name, expected)
    cat(call, name, number, "\n")
    if (number < 1) stop(call, ": ", name, " was never called")
    reached <- reached + number
  }
}
cat(reached, "faults: an error each, and the same draws after it\n")
