# The scenarios that all bindings share, as tests of this package.
using Test
include(joinpath(@__DIR__, "..", "..", "..", "tests", "bindings", "scenarios.jl"))

@testset "$scenario" for scenario in SCENARIOS
    @test (scenario(); true)
end
