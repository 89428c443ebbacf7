// Every convergence statistic against R: posterior 1.4.0 for R-hat, ESS and MCSE, coda 0.19 for the
// spectral ESS, on series made by formula: correlated, tied, heavy-tailed, antithetic, drifting,
// constant, binary, infinite; 4 to 1000 draws; 1 to 8 chains; odd and even lengths.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "lib/diagnostics/rank.hpp"
#include "lib/diagnostics/rhat.hpp"
#include "lib/diagnostics/special.hpp"
#include "lib/diagnostics/statistics.hpp"
extern "C" {
#include "unity.h"
}

using namespace nnp;

void setUp() {}
void tearDown() {}

namespace {

constexpr double pi = 3.141592653589793238462643;

double fraction(int64_t t, int64_t c) {
  const double v = static_cast<double>(t * t * c) * 0.6180339887498949;
  return v - std::floor(v);
}

// x[t] = phi x[t-1] + fraction(t, c) - 1/2, t = 1 ... n
std::vector<double> autoregression(int64_t n, int64_t c, double phi) {
  std::vector<double> x(static_cast<size_t>(n));
  double y = 0;
  for (int64_t t = 1; t <= n; ++t)
    x[static_cast<size_t>(t - 1)] = y = phi * y + (fraction(t, c) - 0.5);
  return x;
}

std::vector<double> one_chain(int kind, int64_t n, int64_t c) {
  const double phis[] = {0, 0.7, 0.9, 0, -0.8, 0.5, 0.95, 0.8, 0, 0, 0, 0.6};
  std::vector<double> x = autoregression(n, c, phis[kind]);
  for (int64_t t = 1; t <= n; ++t) {
    double &v = x[static_cast<size_t>(t - 1)];
    const double u = fraction(t, c), chain = static_cast<double>(c);
    switch (kind) {
      case 1:
        v += 0.02 * chain;
        break;
      case 2:
        v = std::floor(3 * v);
        break;
      case 3:
        v = std::tan(pi * (u - 0.5));
        break;
      case 5:
        v = v + chain + static_cast<double>(t) / static_cast<double>(n);
        break;
      case 6:
        v = 1e3 + 1e-2 * v;
        break;
      case 7:
        v = std::exp(6 * v);
        break;
      case 8:
        v = 2.5;
        break;
      case 9:
        v = chain;
        break;
      case 10:
        v = u > 0.5 ? 1 : 0;
        break;
      case 11:
        v = c == 1 && t == 2 ? INFINITY : v;
        break;
      default:
        break;
    }
  }
  return x;
}

std::vector<double> series(int kind, int64_t n, int64_t chains) {
  std::vector<double> all;
  for (int64_t c = 1; c <= chains; ++c) {
    const std::vector<double> chain = one_chain(kind, n, c);
    all.insert(all.end(), chain.begin(), chain.end());
  }
  return all;
}

struct Case {
  int kind;
  int64_t draws, chains;
  double value[statistic_count];  // in the order of the Statistic enum; probability 0.3
};

const Case cases[] = {
    // clang-format off
    {1, 100, 4, {1.0112846223862468, 1.0112846223862468, 0.99475579950577409,
     1.0121190969642195, 106.88118115073911, 184.24566826379422, 107.79538188510283,
     216.8480563348339, 164.14659518639371, 0.037207728785880641, 0.018822066936976124,
     0.057749452946055761, 3.7107341057184886, 83.116408292822143, 0.066085406984723843,
     0.38630758779423718, -0.11892946314706943}},
    {1, 101, 4, {1.0123710309189926, 1.0123710309189926, 0.9941648000549963, 1.0134033570826302,
     107.23531204977176, 190.136799299095, 107.77465487808738, 215.40477116720257,
     155.94467666870855, 0.037191382616330523, 0.018763957048241926, 0.0610280659346953,
     3.7114477467125488, 83.35347332762899, 0.06275257822252181, 0.38610074913780446,
     -0.12746442377219289}},
    {1, 4, 2, {0.98675745730704689, 0.80629816779398389, 0.98675745730704689,
     0.87129065049662779, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 22.725095539642187,
     0.1144706310591026, 0.2268489635666488, 0.079347544585676277}},
    {1, 5, 1, {1.9323616817508806, 1.9323616817508806, 1.9323616817508806, 2.1225869067118137,
     NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 5, 0.22091291184424222, 0.16580288351551106,
     0.12411697513894566}},
    {1, 6, 1, {2.0194426890617572, 0.87210369425215006, 2.0194426890617572, 0.95734290173072945,
     3, 3, 3, 3, 3, 0.10545528643534015, 0.055558756791325541, 0.089155190137911067, 2,
     6.0000000000000009, 0.17738136128254731, 0.18265391403273817, 0.097698734430357204}},
    {1, 7, 3, {1.3486747999766495, 1.3486747999766495, 0.881081868824098, 1.3262291668401263, 9,
     9, 9, 9, 9, 0.081364947734036297, 0.047830295410784894, 0.1662096339614324, 2, 21,
     0.23117554067771084, 0.24409484320210889, 0.13803398874989489}},
    {1, 8, 2, {1.0827592994717208, 1.0827592994717208, 1.0602050153497211, 1.0551628264787707,
     8, 8, 8, 8, 8, 0.089577068705582172, 0.037513686909940371, 0.13718113913189584, 2,
     16.47775595817583, 0.12313032899480249, 0.25336221088212174, -0.073535364629481972}},
    {1, 9, 1, {2.0596821006296668, 2.0596821006296668, 1.1801989856495128, 1.7613803866612696,
     4, 4, 4, 4, 4, 0.14545400405756542, 0.087218322718246977, 0.31432033470392434, 2, 9,
     0.023440317440811799, 0.29090800811513085, -0.08018715925019293}},
    {1, 12, 2, {1.1233166433874346, 0.96351059486987034, 1.1233166433874346, 0.9654377461565653,
     21.973785591579528, 33.125069801078538, 20.936128453401324, 31.412952166419952,
     25.066666666666666, 0.068864515402732793, 0.029423018331396801, 0.078486318440328967,
     1.1463437499162321, 16.665391588358371, 0.086834900980865229, 0.31509657520705669,
     -0.10946753650634036}},
    {1, 13, 8, {1.1801441762343923, 1.1801441762343923, 1.0308176630339054, 1.1769714691175428,
     48.446279309160758, 84.204778156996596, 49.12124159933505, 91.297202000282496,
     56.940877304513663, 0.048391136889207056, 0.021901049679939853, 0.06803061641769706,
     1.9543479943572832, 96.722729168739463, 0.19570334506717368, 0.33915677208837686,
     0.050401875402766402}},
    {1, 50, 1, {1.0892965208094774, 1.0892965208094774, 1.0124774362464404, 1.0897793614592362,
     10.081439029821604, 18.366147516896852, 10.420558113324773, 30.304798545327863,
     15.106800341087341, 0.12101851690732872, 0.042820393872935007, 0.19826338004847829,
     4.7982074910234385, 12.428764651417147, 0.023544484009474571, 0.39065853425376373,
     -0.091378549914920185}},
    {1, 1000, 8, {1.0126037639996139, 1.0126037639996139, 1.0030119563504292,
     1.0124100440010548, 1252.9286942717001, 2437.8972892349029, 1251.9356118695671,
     3114.2960233394724, 2154.5014261500432, 0.011578422855594574, 0.0052143983137577839,
     0.012125273475152326, 6.3901049895475612, 1430.0767255581222, 0.071478460225829404,
     0.40967588733725729, -0.1592841309636629}},
    {1, 999, 1, {1.0010982781322277, 1.0010982781322277, 1.0006214554069455, 1.0006682017065802,
     245.77491215379229, 306.86623220347167, 241.51680694205356, 430.34284670118956,
     352.31287325186514, 0.024151442877325263, 0.0132192041326237, 0.039121598904936772,
     4.1322175985849601, 208.85350876187567, 0.010620042663378529, 0.37533300944798781,
     -0.17116139972488409}},
    {2, 60, 2, {1.0294936084943918, 1.0294936084943918, 0.98753969535763908, 1.0274679469031618,
     27.145184169239943, 38.489616922481616, 25.902146980450723, 57.268137128556759,
     33.829023161649502, 0.30085293541515168, 0.15049575910253221, 0.5, 4.6328205955501796,
     16.808490714119557, -1.0083333333333333, 1.5311654995835187, -2}},
    {2, 101, 4, {1.0545310011312223, 1.0545310011312223, 1.0144222104610057, 1.0530322578334654,
     56.360171933188703, 94.507123856040167, 56.40961888460334, 88.335367030886403,
     86.84887031506095, 0.21388245468297529, 0.12437223859553088, 0, 7.0909892303700275,
     47.966788260508579, -0.30693069306930693, 1.6063927763808112, -1}},
    {2, 1000, 3, {1.0123490155790875, 1.0034335039695983, 1.0123490155790875,
     1.0038473953168179, 171.68090347791184, 251.94360737277003, 170.28177735425999,
     397.38991346678597, 197.47162837097414, 0.1465870105911532, 0.065018156524695628, 0,
     17.617856981599964, 180.68092443759406, -0.77733333333333332, 1.9128440988236226, -2}},
    {3, 20, 1, {1.02744026937165, 1.0118311297414113, 1.02744026937165, 0.98909282187373859,
     14.348539289086071, 25.641025641025632, 24.636615341641626, 23.707312252747872,
     9.1203891366031531, 4.6696941661989992, 9.116570617422985, 1.3022879274898138,
     0.81179982406898787, 19.999999999999996, 4.3799537670417044, 23.17816016080592,
     -1.1018154082750247}},
    {3, 100, 4, {1.0001245971668917, 0.9934133185577938, 1.0001245971668917, 1.0001224164529019,
     433.31945607871444, 315.22454545577398, 423.75590163888216, 451.25921500882401,
     480.07208454396846, 0.46705550773235832, 1.9119149137558895, 0.14981458776594497,
     0.94393965595049922, 400, 0.81938487180787478, 9.6144927808599459, -0.81420244048303958}},
    {3, 777, 8, {1.0002838813836523, 0.99928271616365294, 1.0002838813836523,
     0.99971334630204134, 5951.6488631732673, 6138.1486558204369, 6182.3098115094836,
     5803.3593450862836, 6017.0457051471458, 0.26793785657730601, 4.3517480836455427,
     0.035530347239019378, 1.0041554353103899, 6405.7689128681477, 0.60887584568132469,
     21.067328212061081, -0.74769533755221051}},
    {4, 40, 2, {1.0260121729541178, 0.97708864061928669, 1.0260121729541178,
     0.97658948795452871, 152.24719895935547, 32.05190592051904, 152.24719895935547,
     17.755572352714118, 152.24719895935547, 0.047251098906089563, 0.11163446700396626,
     0.029708160923602608, 0.52546122718065325, 647.82458063357865, 0.0068957206406351718,
     0.58302418274750589, -0.24314703697576098}},
    {4, 500, 4, {1.0010216042158933, 0.99810299017028303, 1.0010216042158933,
     0.99810864032217361, 6602.0599913279621, 1220.6010729681814, 6602.0599913279621,
     568.32399983663595, 2618.0353469014262, 0.0059260188396266025, 0.013976233773234,
     0.014328507609498442, 0.30293575075462359, 18179.810745698058, -0.0032884582667363164,
     0.48150717279622396, -0.28530273251711102}},
    {5, 30, 3, {2.5683372157114839, 2.5683372157114839, 1.7339722895236771, 2.9946648413867178,
     5.3036383113354004, 14.19629444166249, 5.0430587759506302, 6.5036594071113134,
     6.6683341781078527, 0.44261866333575456, 0.18128169801997973, 0.49778765377857115,
     17.846311930606987, 17.124472603634779, 2.5416761821104563, 0.99397792008985919,
     1.9672686227124292}},
    {5, 301, 8, {4.4847998742623139, 4.4847998742623139, 2.8356785030300049, 6.848523050512088,
     8.6638287578498794, 16.843934753133876, 8.4022317575197594, 8.9495654170540924,
     9.4054967374722089, 0.80346737078663644, 0.34922566424082718, 1.0915330984650704,
     285.63839575742099, 154.75834543074811, 4.9984950040144547, 2.328979000912518,
     3.3762621345366313}},
    {6, 200, 4, {1.0801533230925053, 1.0801533230925053, 1.0427826729237044, 1.0815043272186824,
     40.180630063566689, 61.619586872308915, 39.357942894127021, 81.894894229004365,
     57.252861254189256, 0.0011752899545568961, 0.00062132603592140372, 0.0014952322972021648,
     20.326265581308512, 37.473146590748307, 999.99954165248698, 0.0073732883744070752,
     999.99581879482412}},
    {7, 128, 5, {1.0227419585742843, 1.0227419585742843, 0.9979689526837483, 1.0034087922813932,
     111.94476469092552, 209.1955733679186, 260.6333117315051, 312.59976971272999,
     174.9741606374821, 10.186951436344573, 42.789812539079847, 0.11011038899821254,
     2.4555571801171161, 254.84686436435436, 34.713261201026135, 164.45958763769144,
     0.35750459739633433}},
    {7, 1000, 2, {1.0013986049438721, 1.0013986049438721, 1.0011591564545346,
     1.0066880249740671, 252.16134500234736, 649.02387945468001, 509.98228521875484,
     578.345857442593, 342.80815046603652, 3.5408795749828519, 20.899491774895754,
     0.047555787210125364, 3.9217048473401546, 583.39569745295512, 15.516265724193431,
     79.962930530511798, 0.20514576705945156}},
    {8, 20, 2, {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, 2.5, 0,
     2.5}},
    {9, 20, 3, {9003923584269440, 9003923584269440, 8678649472719163, INFINITY, 5, NAN, 5, 5, 5,
     0.36822984715932933, 0.12909944487358055, 0.5, 12, 0, 2, 0.82338696959261826, 1}},
    {10, 50, 2, {0.99116619365915049, 0.99116619365915049, 0.99116619365915049,
     0.99116619365915049, 115.17358522845311, NAN, 115.17358522845313, 115.17358522845325,
     115.17358522845313, 0.046815437647790566, 0.00093180182544886508, 0, 0.86825464190981383,
     134.44669835605364, 0.48999999999999999, 0.50241839379569142, 0}},
    {10, 333, 4, {0.99795111352792565, 0.99795111352792565, 0.99795111352792565,
     0.99795111352792565, 1376.396940793365, NAN, 1376.396940793365, 1376.396940793363,
     1376.396940793365, 0.013482077943806932, 6.0707895872585981e-05, 0, 0.96483794800832046,
     1448.7050132145239, 0.49774774774774777, 0.50018271886268517, 0}},
    {11, 50, 2, {1.0044465203315374, 0.99928479713861251, 1.0044465203315374, NAN,
     52.173572749193262, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, INFINITY, NAN,
     -0.24027248596955567}},
    // clang-format on
};

struct Memory {
  std::vector<double> block;
  StatisticWork work;
  Memory(int64_t draws, int64_t chains)
      : block(statistic_bytes(draws, chains) / sizeof(double) + 1) {
    Arena arena(block.data(), block.size() * sizeof(double));
    work = statistic_layout(arena, draws, chains);
    TEST_ASSERT_TRUE(arena.fits());
  }
};

SampleTable table_of(const std::vector<double> &x, int64_t draws, int64_t chains) {
  return {x.data(), 1, draws, chains, 1, 1, draws};
}

double value_of(const std::vector<double> &x, int64_t draws, int64_t chains, Statistic which,
                double probability = 0.3) {
  Memory memory(draws, chains);
  double out = -1;
  compute_statistic(table_of(x, draws, chains), which, probability, memory.work, &out, nullptr);
  return out;
}

// Unity makes a macro of isnan.
bool is_nan(double v) {
  return v != v;
}

bool agrees(double got, double want) {
  if (is_nan(want)) return is_nan(got);
  // Chains that stand still at values of their own: R's own zero is off by a rounding error.
  if (std::fabs(want) > 1e12) return got == want || got > 1e12;
  return std::fabs(got - want) <= 1e-9 * std::max(std::fabs(want), 1e-12);
}

void every_statistic_is_that_of_r() {
  for (const Case &c : cases) {
    const std::vector<double> x = series(c.kind, c.draws, c.chains);
    for (int32_t s = 1; s <= statistic_count; ++s) {
      const auto which = static_cast<Statistic>(s);
      const double got = value_of(x, c.draws, c.chains, which);
      char text[200];
      std::snprintf(text, sizeof text, "kind %d, %lld draws, %lld chains: %s is %.17g, R has %.17g",
                    c.kind, static_cast<long long>(c.draws), static_cast<long long>(c.chains),
                    statistic_name(which), got, c.value[s - 1]);
      TEST_ASSERT_TRUE_MESSAGE(agrees(got, c.value[s - 1]), text);
    }
  }
}

void check(double got, double want, double relative) {
  char text[100];
  std::snprintf(text, sizeof text, "got %.17g, expected %.17g", got, want);
  TEST_ASSERT_TRUE_MESSAGE(std::fabs(got - want) <= relative * std::fabs(want), text);
}

// The published values of this fixture have twelve digits.
void fixture_values_are_met() {
  const std::vector<double> even = series(1, 100, 4), odd = series(1, 101, 4);
  check(value_of(even, 100, 4, Statistic::rhat), 1.01128462239, 1e-11);
  check(value_of(even, 100, 4, Statistic::rhat_basic), 1.01211909696, 1e-11);
  check(value_of(even, 100, 4, Statistic::ess_bulk), 106.881181151, 1e-11);
  check(value_of(even, 100, 4, Statistic::ess_tail), 184.245668264, 1e-11);
  check(value_of(even, 100, 4, Statistic::ess_mean), 107.795381885, 1e-11);
  check(value_of(even, 100, 4, Statistic::mcse_mean), 0.0372077287859, 1e-11);
  check(value_of(even, 100, 4, Statistic::mcse_sd), 0.018822066937, 1e-10);
  check(value_of(odd, 101, 4, Statistic::rhat), 1.01237103092, 1e-11);
  check(value_of(odd, 101, 4, Statistic::ess_bulk), 107.23531205, 1e-10);
  check(value_of(odd, 101, 4, Statistic::ess_tail), 190.136799299, 1e-11);
  const int64_t groups[] = {1, 1, 2, 2};
  double scratch[8];
  check(nested_rhat({even.data(), 100, 4}, groups, scratch), 1.00540518895, 1e-11);
}

// Groups of one chain each: B/W of the chains themselves, which is N/(N-1) off the classic ratio.
void nested_rhat_of_single_chains() {
  const std::vector<double> x = series(5, 50, 3);
  const int64_t groups[] = {7, -1, 4};
  double scratch[6];
  const double classic = rhat_of({x.data(), 50, 3});
  check(nested_rhat({x.data(), 50, 3}, groups, scratch), std::sqrt(classic * classic + 1.0 / 50),
        1e-13);
  TEST_ASSERT_EQUAL_INT(3, equal_groups(groups, 3));
  const int64_t uneven[] = {1, 1, 2};
  TEST_ASSERT_EQUAL_INT(0, equal_groups(uneven, 3));
}

// Hand-made: chains {0, 2} and {1, 5}: W = 5, B/N = 2, sigma+^2 = 4.5, R = 3/2 * 0.9 - 1/4.
void paper_rhat_is_a_ratio_of_variances() {
  const double x[] = {9, 0, 2, 9, 1, 5};
  check(variance_ratio_rhat({x, 3, 2, 1, 3}, 1, 2), 1.5 * 4.5 / 5 - 0.25, 1e-15);
}

// The library's own layout, parameters fastest, gives what each parameter gives alone; rows skipped
// by strides are never read.
void many_quantities_in_one_call() {
  const int64_t draws = 60, chains = 3, params = 4;
  std::vector<double> all(static_cast<size_t>(draws * chains * params));
  std::vector<std::vector<double>> alone;
  for (int64_t p = 0; p < params; ++p) {
    alone.push_back(series(static_cast<int>(p) + 1, draws, chains));
    for (int64_t k = 0; k < draws * chains; ++k)
      all[static_cast<size_t>(p + params * k)] = alone.back()[static_cast<size_t>(k)];
  }
  Memory memory(draws, chains);
  const SampleTable table{all.data(), params, draws, chains, 1, params, params * draws};
  for (int32_t s = 1; s <= statistic_count; ++s) {
    double out[params];
    const auto which = static_cast<Statistic>(s);
    TEST_ASSERT_EQUAL_INT(
        0, static_cast<int>(compute_statistic(table, which, 0.3, memory.work, out, nullptr)));
    for (int64_t p = 0; p < params; ++p)
      TEST_ASSERT_TRUE(out[p] == value_of(alone[static_cast<size_t>(p)], draws, chains, which));
  }
}

void nan_is_named_and_spoils_only_its_own_quantity() {
  std::vector<double> x = series(1, 40, 2);
  std::vector<double> both = x;
  both.insert(both.end(), x.begin(), x.end());
  both[80 + 40 + 7] = NAN;
  Memory memory(40, 2);
  Error err{};
  double out[2];
  const SampleTable table{both.data(), 2, 40, 2, 80, 1, 40};
  const Status status = compute_statistic(table, Statistic::rhat, 0, memory.work, out, &err);
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Status::not_finite), static_cast<int>(status));
  TEST_ASSERT_NOT_NULL(std::strstr(err.message, "quantity 1 is NaN at draw 7 of chain 1"));
  TEST_ASSERT_TRUE(out[0] == value_of(x, 40, 2, Statistic::rhat));
  TEST_ASSERT_TRUE(is_nan(out[1]));
}

void bad_arguments_are_refused() {
  const std::vector<double> x = series(1, 40, 2);
  Memory memory(40, 2);
  double out;
  for (double p : {0.0, 1.0, -0.1, 1.5, static_cast<double>(NAN)})
    TEST_ASSERT_EQUAL_INT(
        static_cast<int>(Status::bad_value),
        static_cast<int>(compute_statistic(table_of(x, 40, 2), Statistic::mcse_quantile, p,
                                           memory.work, &out, nullptr)));
  for (int s : {-1, 0, statistic_count + 1})
    TEST_ASSERT_EQUAL_INT(
        static_cast<int>(Status::bad_enum),
        static_cast<int>(compute_statistic(table_of(x, 40, 2), static_cast<Statistic>(s), 0.5,
                                           memory.work, &out, nullptr)));
}

// Nothing is written outside the workspace of exactly the size asked for; one byte less is noticed.
void workspace_is_kept_to() {
  for (int64_t draws : {4, 5, 63, 64, 65, 200}) {
    const int64_t chains = 3;
    const size_t bytes = statistic_bytes(draws, chains), guard = 64;
    std::vector<unsigned char> block(bytes + 2 * guard + 64, 0xA5);
    unsigned char *start = block.data() + guard;
    start += 64 - reinterpret_cast<uintptr_t>(start) % 64;
    Arena arena(start, bytes), small(start, bytes - 1);
    statistic_layout(small, draws, chains);
    TEST_ASSERT_FALSE(small.fits());
    const StatisticWork work = statistic_layout(arena, draws, chains);
    TEST_ASSERT_TRUE(arena.fits());
    const std::vector<double> x = series(1, draws, chains);
    for (int32_t s = 1; s <= statistic_count; ++s) {
      double out;
      compute_statistic(table_of(x, draws, chains), static_cast<Statistic>(s), 0.5, work, &out,
                        nullptr);
    }
    for (unsigned char *p = block.data(); p < start; ++p) TEST_ASSERT_EQUAL_HEX8(0xA5, *p);
    for (size_t k = bytes; k < bytes + guard; ++k) TEST_ASSERT_EQUAL_HEX8(0xA5, start[k]);
  }
}

// R: qnorm, qbeta, pgamma(lower = FALSE), lgamma.
void special_functions() {
  check(normal_quantile(0.975), 1.9599639845400538, 1e-15);
  check(normal_quantile(1e-10), -6.3613409024040557, 1e-15);
  check(normal_quantile(1e-300), -37.047096299361201, 1e-15);
  check(normal_quantile(0.5000001), 2.5066282733116488e-07, 1e-9);
  TEST_ASSERT_TRUE(std::fabs(normal_quantile(0.5)) < 1e-16);
  check(beta_quantile(31, 71, 0.1586553), 0.25844265264700333, 1e-12);
  check(beta_quantile(1.5, 1.2, 0.9), 0.89740264017220273, 1e-12);
  check(beta_quantile(5000, 200, 0.3), 0.96018397183402782, 1e-12);
  check(beta_quantile(2, 1000, 0.01), 0.00014846949677615608, 1e-12);
  check(gamma_upper_tail(4.5, 3), 0.73991829209465376, 1e-12);
  check(gamma_upper_tail(4.5, 20), 7.5985252294642758e-06, 1e-12);
  check(gamma_upper_tail(0.5, 0.001), 0.9643294082703201, 1e-12);
  check(gamma_upper_tail(50, 60), 0.084406681093691843, 1e-12);
  check(gamma_upper_tail(9.5, 150), 2.0005232442947648e-52, 1e-12);
  check(log_gamma(0.3), 1.0957979948180756, 1e-14);
  check(log_gamma(2.5), 0.28468287047291918, 4e-14);
  check(log_gamma(33), 81.557959456115029, 1e-14);
  check(log_gamma(1e+06), 12815504.569147611, 1e-14);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(every_statistic_is_that_of_r);
  RUN_TEST(fixture_values_are_met);
  RUN_TEST(nested_rhat_of_single_chains);
  RUN_TEST(paper_rhat_is_a_ratio_of_variances);
  RUN_TEST(many_quantities_in_one_call);
  RUN_TEST(nan_is_named_and_spoils_only_its_own_quantity);
  RUN_TEST(bad_arguments_are_refused);
  RUN_TEST(workspace_is_kept_to);
  RUN_TEST(special_functions);
  return UNITY_END();
}
