# plot [PICTURE]: a fit and its 90 % band, drawn by R itself. The data are 40 points of a bent line with noise;
# the noise is learned.
library(nnpost)

path <- c(commandArgs(trailingOnly = TRUE), "plot.svg")[1]
i <- 0:39
x <- -1.5 + 3 * i / 39
y <- abs(x) - 0.8 + 0.5 * (((i + 1) * 0.6180339887498949) %% 1 - 0.5)
net <- nn_input(1) |> nn_dense(8) |> nn_relu() |> nn_dense(1) |> nn_gaussian() |> nn_learn_tied()
fit <- nn_sample(net, x, y, chains = 1, warmup = 2000, draws = 2000, thin = 10, seed = 1)
at <- -2 + 4 * (0:100) / 100
q <- predict(fit, at, probs = c(0.05, 0.5, 0.95))
cat(sprintf("at x = 0: %.2f, 90 %% of new points between %.2f and %.2f\n", q[51, 2], q[51, 1], q[51, 3]))

svg(path, width = 7, height = 4.5)
plot(range(at), range(q, y), type = "n", xlab = "x", ylab = "y")
polygon(c(at, rev(at)), c(q[, 1], rev(q[, 3])), col = "#cfe0ee", border = NA)
lines(at, q[, 2], lwd = 2, col = "#1b6ca8")
points(x, y, pch = 19, cex = 0.6)
legend("top", c("90 % of new points", "median", "data"), fill = c("#cfe0ee", NA, NA), border = NA, bty = "n",
       lty = c(NA, 1, NA), lwd = 2, col = c(NA, "#1b6ca8", "black"), pch = c(NA, NA, 19))
invisible(dev.off())
