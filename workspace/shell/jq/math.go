package jq

import "math"

func numbers() map[string]builtin {
	all := map[string]builtin{
		"infinite/0":   func(*machine, any, []any) (any, error) { return math.Inf(1), nil },
		"nan/0":        func(*machine, any, []any) (any, error) { return math.NaN(), nil },
		"isinfinite/0": ofNumber(func(f float64) any { return math.IsInf(f, 0) }),
		"isnan/0":      ofNumber(func(f float64) any { return math.IsNaN(f) }),
		"isfinite/0":   func(_ *machine, v any, _ []any) (any, error) { f, ok := float(v); return ok && !math.IsInf(f, 0), nil },
		"isnormal/0": ofNumber(func(f float64) any {
			return !math.IsNaN(f) && !math.IsInf(f, 0) && math.Abs(f) >= 0x1p-1022
		}),
		"abs/0": func(_ *machine, v any, _ []any) (any, error) {
			switch {
			case compare(v, 0) >= 0: // what is greater than any number, too
				return v, nil
			case !isNumber(v):
				return negate(v)
			}
			return magnitude(v), nil
		},
		"frexp/0": ofNumber(func(f float64) any {
			if math.IsInf(f, 0) || math.IsNaN(f) {
				return newArray(f, 0)
			}
			m, e := math.Frexp(f)
			return newArray(norm(m), e)
		}),
		"modf/0": ofNumber(func(f float64) any {
			whole, part := math.Modf(f)
			if math.IsInf(f, 0) {
				part = math.Copysign(0, f)
			}
			return newArray(norm(part), norm(whole))
		}),
		"lgamma_r/0": ofNumber(func(f float64) any {
			v, sign := math.Lgamma(f)
			return newArray(norm(v), sign)
		}),
		"fma/3": func(_ *machine, _ any, args []any) (any, error) {
			var f [3]float64
			for i := range f {
				var ok bool
				if f[i], ok = float(args[i]); !ok {
					return nil, one(args[i], "number required")
				}
			}
			return norm(math.FMA(f[0], f[1], f[2])), nil
		},
	}
	for name, f := range rounding {
		all[name+"/0"] = rounded(f)
	}
	for name, f := range functions1 {
		all[name+"/0"] = ofNumber(func(x float64) any { return norm(f(x)) })
	}
	for name, f := range functions2 {
		all[name+"/2"] = func(_ *machine, _ any, args []any) (any, error) {
			x, ok := float(args[0])
			if !ok {
				return nil, one(args[0], "number required")
			}
			y, ok := float(args[1])
			if !ok {
				return nil, one(args[1], "number required")
			}
			return norm(f(x, y)), nil
		}
	}
	for _, name := range []string{"isinfinite/0", "isnan/0", "isnormal/0"} {
		test := all[name]
		all[name] = func(m *machine, v any, args []any) (any, error) {
			if !isNumber(v) {
				return false, nil
			}
			return test(m, v, args)
		}
	}
	return all
}

func ofNumber(do func(f float64) any) builtin {
	return func(_ *machine, v any, _ []any) (any, error) {
		f, ok := float(v)
		if !ok {
			return nil, one(v, "number required")
		}
		return do(f), nil
	}
}

// rounded leaves integers alone, which may be too large for a float.
func rounded(f func(float64) float64) builtin {
	do := ofNumber(func(x float64) any { return norm(f(x)) })
	return func(m *machine, v any, args []any) (any, error) {
		switch n := plain(v).(type) {
		case float64, nil:
		default:
			if isNumber(n) {
				return n, nil
			}
		}
		return do(m, v, args)
	}
}

var rounding = map[string]func(float64) float64{
	"floor": math.Floor, "ceil": math.Ceil, "round": math.Round, "trunc": math.Trunc, "rint": math.RoundToEven, "nearbyint": math.RoundToEven,
}

var functions1 = map[string]func(float64) float64{
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
	"fabs": math.Abs, "sqrt": math.Sqrt, "cbrt": math.Cbrt, "exp": math.Exp, "exp2": math.Exp2, "expm1": math.Expm1,
	"exp10": func(x float64) float64 { return math.Pow(10, x) }, "pow10": func(x float64) float64 { return math.Pow(10, x) },
	"log": math.Log, "log2": math.Log2, "log10": math.Log10, "log1p": math.Log1p, "logb": math.Logb,
	"gamma": lgamma, "lgamma": lgamma, "tgamma": math.Gamma, "erf": math.Erf, "erfc": math.Erfc,
	"j0": math.J0, "j1": math.J1, "y0": math.Y0, "y1": math.Y1, "significand": significand,
}

var functions2 = map[string]func(x, y float64) float64{
	"pow": math.Pow, "atan2": math.Atan2, "copysign": math.Copysign, "drem": math.Remainder, "remainder": math.Remainder,
	"fdim": math.Dim, "fmod": math.Mod, "hypot": math.Hypot, "nextafter": math.Nextafter, "nexttoward": math.Nextafter,
	"fmax": func(x, y float64) float64 { return chosen(x, y, math.Max) }, "fmin": func(x, y float64) float64 { return chosen(x, y, math.Min) },
	"ldexp": scaled, "scalb": scaled, "scalbln": scaled,
	"jn": func(n, x float64) float64 { return math.Jn(int(n), x) }, "yn": func(n, x float64) float64 { return math.Yn(int(n), x) },
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

func significand(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	m, _ := math.Frexp(x)
	return 2 * m
}

// chosen takes the number when the other one is none.
func chosen(x, y float64, of func(x, y float64) float64) float64 {
	switch {
	case math.IsNaN(x):
		return y
	case math.IsNaN(y):
		return x
	}
	return of(x, y)
}

func scaled(x, n float64) float64 { return math.Ldexp(x, int(max(min(n, 1<<20), -1<<20))) }
