# classification [TABLE]: classes of a CSV file with their probabilities. 150 irises of three species: length
# and width of sepals and petals in centimetres.
library(nnpost)

path <- c(commandArgs(trailingOnly = TRUE), "iris.csv")[1]
fit <- nnpost(factor(species) ~ ., data = read.csv(path), hidden = 4, seed = 1) # reports convergence

new <- data.frame(sepal_length = c(5.0, 5.9, 6.0), sepal_width = c(3.4, 2.8, 2.8),
                  petal_length = c(1.5, 4.3, 4.9), petal_width = c(0.2, 1.3, 1.7))
p <- predict(fit, new) # rows x classes
for (i in seq_len(nrow(new)))
  cat(sprintf("petal %.1f x %.1f: ", new$petal_length[i], new$petal_width[i]),
      paste(sprintf("%s %.2f", colnames(p), p[i, ]), collapse = ", "), "\n", sep = "")
