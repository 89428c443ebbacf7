# plot [PICTURE]: a fit and its 90 % band, drawn by gnuplot. The data are 40 points of a bent line with noise;
# the noise is learned.
using NNPost, NNPost.Names, Printf

path = get(ARGS, 1, "plot.svg")
x = [-1.5 + 3i / 39 for i in 0:39]
y = [abs(x[i]) - 0.8 + 0.5 * (mod(i * 0.6180339887498949, 1) - 0.5) for i in 1:40]
net = Net(1) |> Dense(8) |> ReLU() |> Dense(1) |> Gaussian()
learn_tied!(net)
fit = sample(net, x, y; chains = 1, warmup = 2000, draws = 2000, thin = 10, seed = 1)
at = [-2 + 4i / 100 for i in 0:100]
q = predict(fit, at; kind = :quantiles, levels = [0.05, 0.5, 0.95])[:, 1, :]  # rows x levels
@printf("at x = 0: %.2f, 90 %% of new points between %.2f and %.2f\n", q[51, 2], q[51, 1], q[51, 3])

block(name, columns...) = "\$$name << EOD\n" * join((join(line, " ") for line in zip(columns...)), "\n") * "\nEOD\n"
open(`gnuplot`, "w") do gnuplot
    print(gnuplot, block("fit", at, q[:, 1], q[:, 2], q[:, 3]), block("data", x, y), """
        set terminal svg size 640,400 font 'sans,13' background 'white'
        set output '$path'
        set key top center; set xlabel 'x'; set ylabel 'y'
        plot \$fit using 1:2:4 with filledcurves lc rgb '#cfe0ee' title '90 % of new points', \\
             \$fit using 1:3 with lines lw 2 lc rgb '#1b6ca8' title 'median', \\
             \$data with points pt 7 ps 0.6 lc rgb '#333333' title 'data'
        """)
end
