library(testthat)
library(nnpost)

test_check("nnpost")
