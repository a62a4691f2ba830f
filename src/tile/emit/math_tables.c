// Made by scripts/tile_math.py; do not edit.
//
// The comment above each polynomial gives the largest error of the formula in it, relative to the
// function's value, with the coefficients as rounded here.
#include "math.h"

// clang-format off
const struct tile_math_table tile_math_tables[2] = {
    { // f32
        .magic = 0x1.8p23,
        .log2e = { 0x1.715476p0, 0x1.4ae0cp-26 },
        .ln2 = { 0x1.62e43p-1, -0x1.05c61p-29 },
        .two_over_ln2 = { 0x1.715476p1, 0x1.4ae0cp-25 },
        .third = { 0x1.555556p-2, -0x1.555556p-27 },
        .two_over_pi = 0x1.45f306p-1,
        .half_pi = { 0x1.921fb4p0, 0x1.4442dp-24, 0x1.846988p-48 },
        .pi = { 0x1.921fb6p1, -0x1.777a5cp-24 },
        // 2^t = 1 + t p(t), |t| <= 1/2: 2^-26.25
        .exp2 = { 6, {
            0x1.62e43p-1, 0x1.ebfb94p-3, 0x1.c6af9ep-5, 0x1.3b682ep-7, 0x1.5ef5p-10,
            0x1.1781bap-13
        } },
        // e^t - 1 = t + t^2 p(t), |t| <= ln 2 / 2: 2^-28.18
        .expm1 = { 6, {
            0x1p-1, 0x1.55552cp-3, 0x1.555502p-5, 0x1.11566cp-7, 0x1.6d2eb4p-10, 0x1.3937f4p-13
        } },
        // ln(1 + t) = t + t^2 p(t), |t| <= 1/3: 2^-27.59
        .log = { 9, {
            -0x1p-1, 0x1.5554fap-2, -0x1.ffff94p-3, 0x1.99d588p-3, -0x1.557e34p-3, 0x1.1e82f6p-3,
            -0x1.f6b2a2p-4, 0x1.1fef26p-3, -0x1.ffb6d2p-4
        } },
        // log2(1 + t) = t log2(e) + t p(t), |t| <= 1/3, log2(e) in f32: 2^-25.33
        .log2 = { 10, {
            0x1.ac8198p-26, -0x1.715458p-1, 0x1.ec6ff4p-2, -0x1.71706ep-2, 0x1.27a5b2p-2,
            -0x1.e58b2p-3, 0x1.9d1794p-3, -0x1.bfddf4p-3, 0x1.a0293ep-3, -0x1.ce9f9p-7
        } },
        // atanh(s) = s (1 + z/3 + z^2 p(z)), (1 + s)/(1 - s) from sqrt 1/2 to sqrt 2: 2^-36.77
        .atanh_tail = { 3, {
            0x1.999ap-3, 0x1.245278p-3, 0x1.dfa346p-4
        } },
        // sin(s) = s + s z p(z), z = s^2, |s| <= pi/4: 2^-27.91
        .sin = { 3, {
            -0x1.555546p-3, 0x1.110778p-7, -0x1.9953fep-13
        } },
        // cos(s) = 1 - z/2 + z^2 p(z), z = s^2, |s| <= pi/4: 2^-32.97
        .cos = { 3, {
            0x1.55554ap-5, -0x1.6c0c28p-10, 0x1.99e83ap-16
        } },
        // tanh(s) = s + s z p(z), z = s^2, |s| <= 0.8: 2^-27.99
        .tanh = { 6, {
            -0x1.55553ep-2, 0x1.110b58p-3, -0x1.b92b2ep-5, 0x1.5d160cp-6, -0x1.e5e51cp-8,
            0x1.a00836p-10
        } },
        // sinh(s) = s + s z p(z), z = s^2, |s| <= 1: 2^-31.62
        .sinh = { 4, {
            0x1.555556p-3, 0x1.1110ep-7, 0x1.a022bcp-13, 0x1.756c2p-19
        } },
        // atan(s) = s + s z p(z), z = s^2, |s| <= 1: 2^-26.09
        .atan = { 9, {
            -0x1.55553ep-2, 0x1.9991e4p-3, -0x1.242086p-3, 0x1.c08c42p-4, -0x1.5807f2p-4,
            0x1.da1f3ap-5, -0x1.fd60ecp-6, 0x1.6413eap-7, -0x1.d39304p-10
        } },
        // erf(s) = s + s p(z), z = s^2, |s| <= 1: 2^-29.39
        .erf = { 7, {
            0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2ce6p-4, -0x1.b7f71ap-6, 0x1.53f224p-8,
            -0x1.a3515ep-11, 0x1.4771fep-14
        } },
        // erf(1 + t) = 1 - 2^-p(t), t from 0 on until that is 1: 2^-27.39
        .erf_tail = { 7, {
            0x1.558eaep1, 0x1.e75306p1, 0x1.37666ap0, 0x1.e8d7f4p-5, -0x1.c7485ep-7, 0x1.31d15ap-9,
            -0x1.7fa4acp-13
        } },
    },
    { // f64
        .magic = 0x1.8p52,
        .log2e = { 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56 },
        .ln2 = { 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56 },
        .two_over_ln2 = { 0x1.71547652b82fep1, 0x1.777d0ffda0d24p-55 },
        .third = { 0x1.5555555555555p-2, 0x1.5555555555555p-56 },
        .two_over_pi = 0x1.45f306dc9c883p-1,
        .half_pi = { 0x1.921fb54442d18p0, 0x1.1a62633145c06p-54, 0x1.c1cd129024ep-107 },
        .pi = { 0x1.921fb54442d18p1, 0x1.1a62633145c07p-53 },
        // 2^t = 1 + t p(t), |t| <= 1/2: 2^-57.72
        .exp2 = { 12, {
            0x1.62e42fefa39efp-1, 0x1.ebfbdff82c574p-3, 0x1.c6b08d704a1fbp-5, 0x1.3b2ab6fbaadc5p-7,
            0x1.5d87fe786a55p-10, 0x1.430912dcc84b2p-13, 0x1.ffcbfd7efd2c2p-17,
            0x1.62c0920aa6396p-20, 0x1.b522bc1cd11e6p-24, 0x1.e3351a59c4b98p-28,
            0x1.ed27bbed4f71dp-32, 0x1.f9b823b9360e1p-35
        } },
        // e^t - 1 = t + t^2 p(t), |t| <= ln 2 / 2: 2^-61.61
        .expm1 = { 11, {
            0x1p-1, 0x1.5555555555559p-3, 0x1.5555555555559p-5, 0x1.111111110f6f4p-7,
            0x1.6c16c16c1643ep-10, 0x1.a01a01afa53c4p-13, 0x1.a01a01a002c6ap-16,
            0x1.71ddf9263498p-19, 0x1.27e4f4d398f5ap-22, 0x1.af5d1f7315388p-26,
            0x1.1f3ed547c359bp-29
        } },
        // 2 atanh(s) = 2 s + s z p(z), z = s^2, (1 + s)/(1 - s) from sqrt 1/2 to sqrt 2: 2^-59.5
        .atanh = { 7, {
            0x1.5555555555592p-1, 0x1.999999997ff4cp-2, 0x1.24924941dd6a4p-2, 0x1.c71c5217d693ap-3,
            0x1.74663c30c7056p-3, 0x1.39a1fb707988fp-3, 0x1.2f0305d1756cbp-3
        } },
        // atanh(s) = s (1 + z/3 + z^2 p(z)), (1 + s)/(1 - s) from sqrt 1/2 to sqrt 2: 2^-66.28
        .atanh_tail = { 7, {
            0x1.9999999999b2fp-3, 0x1.2492492457f28p-3, 0x1.c71c722d40a6dp-4, 0x1.745ce9ef82d81p-4,
            0x1.3b1ee9fbcf3fep-4, 0x1.0f8016af8e2dep-4, 0x1.0e4123a0c9debp-4
        } },
        // sin(s) = s + s z p(z), z = s^2, |s| <= pi/4: 2^-57.89
        .sin = { 6, {
            -0x1.5555555555548p-3, 0x1.111111110f73p-7, -0x1.a01a019be9212p-13,
            0x1.71de35552b5b5p-19, -0x1.ae5e4b846e414p-26, 0x1.5d8b55ebbe879p-33
        } },
        // cos(s) = 1 - z/2 + z^2 p(z), z = s^2, |s| <= pi/4: 2^-63.89
        .cos = { 6, {
            0x1.555555555554bp-5, -0x1.6c16c16c15013p-10, 0x1.a01a019c8e629p-16,
            -0x1.27e4f7f08dab2p-22, 0x1.1ee9dacf57547p-29, -0x1.8fa5d9d68bf37p-37
        } },
        // sinh(s) = s + s z p(z), z = s^2, |s| <= 1: 2^-61.78
        .sinh = { 7, {
            0x1.5555555555556p-3, 0x1.111111111101ep-7, 0x1.a01a01a03726cp-13,
            0x1.71de3a3b06607p-19, 0x1.ae646ff58a019p-26, 0x1.6116f45877f15p-33,
            0x1.b5c8b4390b175p-41
        } },
        // atan(s) = s + s z p(z), z = s^2, |s| <= 1: 2^-56.85
        .atan = { 20, {
            -0x1.5555555555526p-2, 0x1.99999999955bp-3, -0x1.249249237ed74p-3,
            0x1.c71c717f9787cp-4, -0x1.745d11a8fb571p-4, 0x1.3b136649f328p-4,
            -0x1.110e4e2308cfcp-4, 0x1.e1bb7dbe26478p-5, -0x1.ae5daa7fc14c6p-5,
            0x1.82d7f51657f7fp-5, -0x1.599be46c6f44ep-5, 0x1.2c1cda8e28548p-5,
            -0x1.e9bfaedc9669cp-6, 0x1.67f1ecdbe8dacp-6, -0x1.c6fd7c03836fep-7,
            0x1.d6e3542af46ffp-8, -0x1.79578111412d2p-9, 0x1.b2b42bb8b7253p-11,
            -0x1.3e1609ccbbc8fp-13, 0x1.ba18cd18f3abdp-17
        } },
        // erf(s) = s + s p(z), z = s^2, |s| <= 1: 2^-56.27
        .erf = { 13, {
            0x1.06eba8214db69p-3, -0x1.812746b037a25p-2, 0x1.ce2f21a0458d4p-4,
            -0x1.b82ce31354a9ep-6, 0x1.565bcd2c64e1ap-8, -0x1.c02db9364891ep-11,
            0x1.f9a3ba1f3ea2fp-14, -0x1.f4dd0a55ffd08p-17, 0x1.ba6adaa78fff8p-20,
            -0x1.63a4603cb28eep-23, 0x1.13a2d7e2b0c89p-26, -0x1.c8766099a92bcp-30,
            0x1.417758d7e72d8p-33
        } },
        // erf(1 + t) = 1 - 2^-p(t), t from 0 on until that is 1: 2^-56.9
        .erf_tail = { 19, {
            0x1.558eada6637f3p1, 0x1.e75328fe78c2ep1, 0x1.37627e9b5d81ep0, 0x1.eb313685f87dp-5,
            -0x1.da57641271edfp-7, 0x1.7603da2217eaep-9, -0x1.6701c1394040fp-12,
            -0x1.3e3ba4ffcb384p-15, 0x1.4924427d442cep-15, -0x1.d3fdeb53dab14p-17,
            0x1.9bce099d98a78p-19, -0x1.3526aff50f151p-22, -0x1.7f88c25edda6bp-24,
            0x1.b804a0098f549p-25, -0x1.cf7d07a051831p-27, 0x1.32e9953cfb4bdp-29,
            -0x1.fed674b0bf2dcp-33, 0x1.dbe8d0199fba3p-37, -0x1.6369f64f7c9cp-42
        } },
    },
};

const uint64_t tile_two_over_pi[TILE_TWO_OVER_PI_WORDS] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08
};
