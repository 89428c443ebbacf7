# regression [TABLE]: regression on a CSV file with intervals, all settings as recommended. 31 black cherry
# trees: girth in inches, height in feet, and the target, the volume of their timber in cubic feet.
library(nnpost)

path <- c(commandArgs(trailingOnly = TRUE), "trees.csv")[1]
fit <- nnpost(volume ~ girth + height, data = read.csv(path), seed = 1) # reports convergence

new <- data.frame(girth = c(9, 13, 18), height = c(70, 76, 82))
at <- predict(fit, new, interval = "prediction", level = 0.9)
cat(sprintf("girth %.0f, height %.0f: volume %.1f, 90 %% between %.1f and %.1f\n", new$girth, new$height,
            at[, 1], at[, 2], at[, 3]), sep = "")
