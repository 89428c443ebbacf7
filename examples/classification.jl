# classification [TABLE]: classes of a CSV file with their probabilities. 150 irises of three species: length
# and width of sepals and petals in centimetres.
using NNPost, NNPost.Names, DelimitedFiles, Printf

table = readdlm(get(ARGS, 1, "iris.csv"), ','; skipstart = 1)
x, species = Float64.(table[:, 1:4]), String.(table[:, 5])
model = fit(NNPostModel, x, species; hidden = [4], seed = 1)  # reports convergence

new = [5.0 3.4 1.5 0.2; 5.9 2.8 4.3 1.3; 6.0 2.8 4.9 1.7]
p = predict(model, new; kind = :probabilities)  # rows x classes
for i in 1:3
    words = join((@sprintf("%s %.2f", model.classes[k], p[i, k]) for k in 1:3), ", ")
    @printf("petal %.1f x %.1f: %s\n", new[i, 3], new[i, 4], words)
end
