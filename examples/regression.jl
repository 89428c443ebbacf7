# regression [TABLE]: regression on a CSV file with intervals, all settings as recommended. 31 black cherry
# trees: girth in inches, height in feet, and the target, the volume of their timber in cubic feet.
using NNPost, NNPost.Names, DelimitedFiles, Printf

table = readdlm(get(ARGS, 1, "trees.csv"), ',', Float64; skipstart = 1)
model = fit(NNPostModel, table[:, 1:2], table[:, 3]; seed = 1)  # reports convergence

new = [9.0 70.0; 13.0 76.0; 18.0 82.0]
mean = predict(model, new)
low, high = interval(model, new, 0.9)
for i in 1:3
    @printf("girth %.0f, height %.0f: volume %.1f, 90 %% between %.1f and %.1f\n", new[i, 1], new[i, 2],
            mean[i], low[i], high[i])
end
