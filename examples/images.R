# images: a convolutional network classifies bars. Images are 8 x 8 pixels with one bright bar,
# across, upright or from corner to corner, and noise.
library(nnpost)

# Images from number `first` on: an array [image, row, column], and classes.
images <- function(first, count) {
  number <- first + seq_len(count) - 1
  kind <- number %% 3
  place <- number %/% 3 %% 8
  pixel <- expand.grid(i = seq_len(count), row = 0:7, column = 0:7)
  here <- ifelse(kind[pixel$i] == 0, pixel$row,
                 ifelse(kind[pixel$i] == 1, pixel$column, (pixel$row + pixel$column) %% 8))
  k <- (number[pixel$i] * 8 + pixel$row) * 8 + pixel$column + 1
  bright <- (here == place[pixel$i]) + 2 * ((k * 0.7548776662466927) %% 1) - 1
  list(x = array(bright, c(count, 8, 8)), y = kind)
}

train <- images(0, 300)
test <- images(300, 150)
net <- nn_input(c(8, 8)) |> nn_conv2d(4, 3) |> nn_relu() |> nn_avgpool(2) |> nn_dense(3) |> nn_argmax()
fit <- nn_sample(net, train$x, train$y, chains = 1, warmup = 1000, draws = 200, thin = 5, seed = 1)
right <- nn_score(fit, test$x, test$y)[["accuracy"]]
cat(sprintf("%d new images: %.0f %% are classified correctly\n", length(test$y), 100 * right))
