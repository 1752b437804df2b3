/** Orders versions as Kubernetes does: v2, v1, v1beta2, v1beta1, v1alpha1, then other names alphabetically. */
export function byStability(a: string, b: string): number {
  const [left, right] = [a, b].map((name) => /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(name))
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : 1
  const rank = ([, major, stage, minor]: RegExpExecArray) =>
    [stage === undefined ? 2 : stage === 'beta' ? 1 : 0, Number(major), Number(minor ?? 0)] as const
  const [first, second] = [rank(left), rank(right)]
  const at = first.findIndex((value, i) => value !== second[i])
  return at < 0 ? 0 : (second[at] ?? 0) - (first[at] ?? 0)
}
