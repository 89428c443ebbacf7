# Stopping distances of 50 cars of the 1920s against their speed: regression with intervals.
library(nnpost)

fit <- nnpost(dist ~ speed, data = cars, hidden = 8, seed = 1)

new <- data.frame(speed = c(5, 15, 25))
at <- predict(fit, new, interval = "prediction", level = 0.9)
cat(sprintf("%2.0f mph: %.1f feet, 90 %% between %.1f and %.1f\n", new$speed, at[, 1], at[, 2],
            at[, 3]), sep = "")
