test_that("a pipe describes a network, and print shows the library's table", {
  net <- nn_input(50) |> nn_dense(10) |> nn_relu() |> nn_dense(1) |> nn_gaussian()
  expect_s3_class(net, "nn_net")
  info <- summary(net)
  expect_equal(info$layers, 3)
  expect_equal(info$parameters, 50 * 10 + 10 + 10 + 1)
  expect_equal(info$outputs, 1)
  expect_equal(info$latents, 20)
  expect_output(print(net, n = 7), "dense +W1 +10 +510 +70")
  expect_equal(nn_parameters(net)[c(1, 51, 501, 521)], c("W1[1,1]", "W1[2,1]", "b1[1]", "b2[1]"))
})

test_that("every layer kind and head is there", {
  for (kind in names(nnpost:::activations)) {
    by_name <- nn_input(3) |> nn_dense(2) |> nn_activation(kind)
    by_function <- (nn_input(3) |> nn_dense(2)) |> (get(paste0("nn_", kind)))()
    expect_identical(by_name, by_function)
  }
  image <- nn_input(c(28, 28)) |> nn_conv2d(2, 4, stride = 2) |> nn_avgpool(2) |> nn_relu() |>
    nn_dense(10) |> nn_argmax()
  expect_equal(unname(summary(image)$shapes),
               cbind(c(1, 28, 28), c(2, 13, 13), c(2, 6, 6), c(2, 6, 6), c(10, 1, 1)))
  shaped <- nn_input(12) |> nn_reshape(2, 3, 2) |> nn_conv2d(1, c(2, 3))
  expect_equal(unname(summary(shaped)$shapes[, 1]), c(2, 2, 3))
  expect_equal(summary(shaped)$parameters, 2 * 2 * 3 + 1)
  expect_s3_class(nn_input(3) |> nn_dense(1) |> nn_sign_head(), "nn_net")
})

test_that("a Student-t head has degrees of freedom", {
  net <- nn_input(3) |> nn_dense(2) |> nn_student_t(freedom = 2.5, noise = 0.3)
  expect_output(print(net), "student_t.*freedom 2.5")
  expect_output(print(nn_input(3) |> nn_dense(2) |> nn_student_t()), "freedom 4")
  expect_output(print(nn_set(net, freedom = 5)), "freedom 5")
  expect_error(nn_set(net, freedom = 0), "freedom = 0: expected a positive", class = "NNP_E_VALUE")
  expect_error(nn_set(regression_net, freedom = 3), "gaussian", class = "NNP_E_OPTION")
})

test_that("convolutions may be padded, and pools may take the largest", {
  padded <- nn_input(c(6, 5)) |> nn_conv2d(2, 3, padding = c(2, 1)) |> nn_maxpool(2)
  expect_equal(unname(summary(padded)$shapes), cbind(c(1, 6, 5), c(2, 8, 5), c(2, 4, 2)))
  expect_identical(nn_input(c(6, 5)) |> nn_conv2d(2, 3, padding = 1),
                   nn_input(c(6, 5)) |> nn_conv2d(2, 3, padding = c(1, 1)))
  expect_output(print(padded), "maxpool")
  expect_error(nn_input(c(6, 5)) |> nn_conv2d(2, 3, padding = 3), "less than the filter's height",
               class = "NNP_E_VALUE")
  expect_error(nn_input(c(6, 5)) |> nn_conv2d(2, 3, padding = -1), "padding")
  expect_error(nn_set(padded, padding_y = 1), "padding_y: nn_set\\(\\) has no such argument")
  # a network of an earlier version has no padding in its list
  plain <- nn_input(c(6, 5)) |> nn_conv2d(2, 3)
  plain$layers[[1]] <- plain$layers[[1]][1:6]
  expect_equal(unname(summary(plain)$shapes[, 2]), c(2, 4, 3))
})

test_that("layers are found by the names of their weights", {
  expect_equal(nn_find_layer(regression_net, c("W1", "W2", "b2")), c(1, 3, 3))
  expect_identical(nn_set(regression_net, noise = 0.4, layer = c("W1", "W2")),
                   nn_set(regression_net, noise = 0.4, layer = c(1, 3)))
  expect_error(nn_find_layer(regression_net, "W3"), "W1 is layer 1, W2 is layer 3",
               class = "NNP_E_OPTION")
  expect_error(nn_find_layer(regression_net, 2), "names of weights")
  waiting <- nn_input() |> nn_dense(4) |> nn_relu() |> nn_dense(1) |> nn_gaussian()
  expect_equal(nn_find_layer(waiting, "W2"), 3)
})

test_that("properties are those that were set", {
  get <- function(net, layer, name) {
    handle <- nnpost:::build_net(net)
    .Call(nnpost:::nnr_net_get, handle, layer, nnpost:::properties[[name]])
  }
  net <- nn_input(4) |> nn_dense(3, noise = 0.2, lambda_w = 5, lambda_b = 6) |>
    nn_leaky_relu(slope = 0.3) |> nn_dense(1, bias = FALSE) |> nn_gaussian(noise = 0.7)
  expect_equal(get(net, 1, "noise"), 0.2)
  expect_equal(get(net, 1, "lambda_w"), 5)
  expect_equal(get(net, 1, "lambda_b"), 6)
  expect_equal(get(net, 2, "slope"), 0.3)
  expect_equal(get(net, 3, "bias"), 0)
  expect_equal(get(net, 3, "noise"), 0.7)
  expect_equal(get(nn_set(net, noise = 0.9), 2, "noise"), 0.9)
  expect_equal(get(nn_set(net, noise = 0.9, layer = 2), 1, "noise"), 0.2)
  expect_equal(summary(net)$parameters, 4 * 3 + 3 + 3)
})

test_that("mistakes are told by the library's sentence, with a class", {
  expect_error(nn_set(regression_net, noise = -1),
               "noise = -1: expected a positive, finite number", class = "NNP_E_VALUE")
  expect_error(nn_input(0), class = "NNP_E_SIZE")
  expect_error(nn_input(c(4, 4)) |> nn_conv2d(1, 5), class = "NNP_E_SHAPE")
  expect_error(nn_input(5) |> nn_reshape(2, 2), class = "NNP_E_SHAPE")
  expect_error(nn_input(2) |> nn_gaussian(), class = "NNP_E_HEAD_MISPLACED")
  expect_error(regression_net |> nn_dense(1), class = "NNP_E_HEAD_MISPLACED")
  expect_error(regression_net |> nn_gaussian(), class = "NNP_E_SECOND_HEAD")
  expect_error(nn_input(2) |> nn_dense(2) |> nn_sign_head(), class = "nnpost_error")
  expect_error(nn_input(2) |> nn_dense(2.5), "whole numbers")
  expect_error(nn_input(2) |> nn_activation("selu"), "one of identity, relu")
  expect_error(nn_input(2) |> nn_relu(noise = "much"), "one number")
  expect_error(nn_set(regression_net, nosie = 1), "did you mean noise")
  expect_error(nn_input() |> nn_dense(1) |> nn_gaussian(noise = -1), "noise = -1", class = "NNP_E_VALUE")
  expect_error(nn_dense(3, 4), "begins with nn_input")
  error <- tryCatch(nn_input(-1), error = identity)
  expect_match(deparse(conditionCall(error)), "nn_input(-1)", fixed = TRUE)
})

test_that("a network may wait for its number of inputs", {
  net <- nn_input() |> nn_dense(4) |> nn_relu() |> nn_dense(1) |> nn_gaussian() |>
    nn_set(noise = 0.05)
  expect_output(print(net), "as many inputs as the data")
  expect_error(summary(net), "not known yet")
  expect_identical(small_fit(net)$draws, small_fit()$draws)
})

test_that("sizes beyond 2^31 are counted or refused, not wrapped", {
  expect_equal(summary(nn_input(2^31) |> nn_dense(2))$parameters, 2^32 + 2)
  expect_error(nn_input(2^31 + 5), class = "nnpost_error")
  expect_error(nn_input(2^60), class = "nnpost_error")
  expect_error(small_fit(draws = 2^62), "draws")
  expect_error(small_fit(draws = 2^50, warmup = 0))
})

test_that("scales are learned, tied, fixed", {
  net <- nn_input(3) |> nn_dense(4) |> nn_relu() |> nn_dense(1) |> nn_gaussian()
  both <- net |> nn_learn_tied() |> nn_learn("ard", layer = "W1", shape = 2, mean = 5)
  expect_equal(tail(nn_parameters(both), 4), c("D", paste0("lambda_w1[", 1:3, "]")))
  learned <- nn_learned(both)
  expect_equal(learned$what, c("noise", "ard", "noise", "noise"))
  expect_equal(unlist(learned[2, 3:6], use.names = FALSE), c(2, 5, 23, 3))
  expect_equal(nrow(nn_learned(nn_fix(nn_fix(both, "noise"), "ard", 1))), 0)
  expect_equal(nn_learned(nn_set(both, noise = 0.1))$what, "ard")
  expect_error(nn_learn(net, "bias"), "what")
  expect_error(nn_learn(net, "noise", shape = -1, mean = 1), class = "NNP_E_VALUE")
  expect_error(nn_learn_tied(net, c(1, 0, 1)), class = "NNP_E_VALUE")
  expect_error(nn_learn_tied(net, 1), "multiples")
  expect_error(nn_learn(net, "ard", layer = 2), class = "NNP_E_OPTION")
})
