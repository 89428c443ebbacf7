# Stopping distances of 50 cars of the 1920s against their speed: regression with intervals.
using NNPost, NNPost.Names, Printf

speed = [4, 4, 7, 7, 8, 9, 10, 10, 10, 11, 11, 12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15,
         15, 16, 16, 17, 17, 17, 18, 18, 18, 18, 19, 19, 19, 20, 20, 20, 20, 20, 22, 23, 24, 24, 24, 24, 25]
feet = [2, 10, 4, 22, 16, 10, 18, 26, 34, 17, 28, 14, 20, 24, 28, 26, 34, 34, 46, 26, 36, 60, 80, 20, 26,
        54, 32, 40, 32, 40, 50, 42, 56, 76, 84, 36, 46, 68, 32, 48, 52, 56, 64, 66, 54, 70, 92, 93, 120, 85]

model = fit(NNPostModel, (speed = speed, feet = feet), :feet; hidden = [8], seed = 1)

new = (speed = [5.0, 15.0, 25.0],)
mean = predict(model, new)
low, high = interval(model, new, 0.9)
for i in 1:3
    @printf("%2.0f mph: %.1f feet, 90 %% between %.1f and %.1f\n", new.speed[i], mean[i], low[i], high[i])
end
