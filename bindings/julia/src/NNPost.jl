"""
Exact MCMC samples from the posterior of neural networks.

    using NNPost, NNPost.Names
    net = Net(50) |> Dense(10) |> ReLU() |> Dense(1) |> Gaussian()
    fit = sample(net, X, y; draws = 500)
    predict(fit, Xnew), predict(fit, Xnew; kind = :sd), summarize(fit)

For tables of data, in one call:

    model = fit(NNPostModel, X, y)
    predict(model, Xnew), interval(model, Xnew, 0.9)

Arrays are Julia's: `X[row, feature]`, draws are `[parameter, draw, chain]`, as the library wrote
them. Errors of the library are thrown as an [`NNPostError`](@ref) with its message. The C header nnpost.h
documents everything; its constants and functions are in this module under their own names.

The shared library is the one that the environment variable `NNPOST_LIBRARY` names; else an
installed one; else that of a source tree's build folder.
"""
module NNPost

using Libdl

export Net, Conv2D, AvgPool, Image, Activation, Identity, ReLU, LeakyReLU, Abs, Sign, HardTanh,
    Tanh, Softplus, GELU, Gaussian, StudentT, LocationScale, Argmax, SignHead, Data, Pool, Teacher,
    Predictor, Study, Fit, NNPostError, resume!, summarize, columnnames, getcolumn, set!,
    get_option, start!, start_weights!, start_state!, start_teacher!, anneal!, descend!, descent,
    run!, steps, parameters, site, log_density, terms, statistic, record!, recorded, scales,
    scales!, save, restore!, use_pool!, label!, statistics, block_rhat, nested_rhat, thermalization,
    criteria, stationarity, gradient_settling, rhat_settling, sbc_ranks, sbc_histogram, geweke,
    report, series, state, thermalization!, partner!, teacher_student, build_info, option_info,
    gradient_statistic, probit_draws, parameters!, close!, Multistart, Twin, best, moves, log_lik,
    temperature, functions, convergence, Convergence, find_layer, learn!, learn_tied!, fix!,
    learned, Exchange, ExchangeFit, exchange, tune!, ladder, ladder!, evidence, target, NNPostModel,
    log_score, interval, recommended_net, recommend, recommend_transform, standard, unstandardize,
    loo, Loo, stacking, stack_chains, stack!, chain_array, Comm, Team, Folder, Rows, comm,
    checked, mpi, use_comm!, save_draws, merge_draws, Keeper, Quantity, DrawsFile, store!, draws, kept, has_draws

include("api.jl")
include("library.jl")
include("model.jl")
include("diagnostics.jl")
include("keep.jl")
include("fit.jl")
include("exchange.jl")
include("recommended.jl")

"""
Names that StatsBase, Flux, CategoricalArrays and others export too: `using NNPost` does not export them, so
write `NNPost.sample`. If you use none of those packages, write `using NNPost, NNPost.Names`.
"""
module Names
using ..NNPost: Dense, Chain, MaxPool, sample, sample!, predict, fit, score, standardize, transform,
    levels
export Dense, Chain, MaxPool, sample, sample!, predict, fit, score, standardize, transform, levels
end

__init__() = load()

end
