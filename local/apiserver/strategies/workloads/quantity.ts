const decimal: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }
const binary: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 }
const NANO = 9

/** A quantity (`100m`, `1.5Gi`, `2e3`) in billionths; undefined if malformed (Kubernetes API: resource.Quantity). */
export function billionthsOf(quantity: unknown): bigint | undefined {
  const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2})|([a-zA-Z]{0,2}))$/.exec(String(quantity))
  const [, sign, whole = '', fraction = '', exponent, suffix = ''] = found ?? []
  if (found === null || whole + fraction === '') return undefined
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n)
  const power = binary[suffix]
  if (power !== undefined) return scaled(digits * 1024n ** BigInt(power), NANO - fraction.length)
  const tens = exponent === undefined ? decimal[suffix] : Number(exponent)
  return tens === undefined ? undefined : scaled(digits, tens + NANO - fraction.length)
}

// A fraction of a billionth is rounded up, as in kube-apiserver.
function scaled(digits: bigint, tens: number): bigint {
  if (tens >= 0) return digits * 10n ** BigInt(tens)
  const unit = 10n ** BigInt(-tens)
  return digits / unit + (digits > 0n && digits % unit !== 0n ? 1n : 0n)
}
