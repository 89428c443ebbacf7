# images: a convolutional network classifies bars. Images are 8 x 8 pixels with one bright bar,
# across, upright or from corner to corner, and noise.
using NNPost, NNPost.Names, Printf

"Images from number `first` on: an array [column, row, channel, image], and classes."
function images(first, count)
    kind(number) = number % 3
    place(number) = number ÷ 3 % 8
    here(number, row, column) = (row, column, (row + column) % 8)[kind(number) + 1]
    noise(number, row, column) = 2 * mod(((number * 8 + row) * 8 + column + 1) * 0.7548776662466927, 1) - 1
    numbers = first:first+count-1
    x = [(here(n, row, column) == place(n)) + noise(n, row, column)
         for column in 0:7, row in 0:7, channel in 1:1, n in numbers]
    return x, kind.(numbers)
end

x, y = images(0, 300)
new_x, new_y = images(300, 150)
net = Net(1, 8, 8) |> Conv2D(4, 3) |> ReLU() |> AvgPool(2) |> Dense(3) |> Argmax()
fit = sample(net, x, y; chains = 1, warmup = 1000, draws = 200, thin = 5, seed = 1)
@printf("%d new images: %.0f %% are classified correctly\n", length(new_y), 100 * score(fit, new_x, new_y))
