# testthat.R FOLDER: the tests of the R package, one line a test, and their number as Unity tells it.
library(testthat)
library(nnpost)

found <- as.data.frame(test_dir(commandArgs(TRUE)[1], package = "nnpost", reporter = "summary",
                                stop_on_failure = FALSE))
failed <- found$failed > 0 | found$error
state <- ifelse(failed, "FAIL", ifelse(found$skipped, "IGNORE", "PASS"))
cat(paste0(found$file, ": ", found$test, ": ", state, sprintf(" (%.1f s)", found$real), "\n"),
    sep = "")
cat(nrow(found), "Tests", sum(failed), "Failures", sum(found$skipped & !failed), "Ignored\n")
quit(status = as.integer(any(failed)))
