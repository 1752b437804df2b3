import { hash } from 'node:crypto'

/**
 * Orders targets by their weights: the first is the chosen one, the others follow when it fails. With a key, such as the id of a run, the order is
 * the same each time while the targets are.
 */
export function orderTargets<Target extends { readonly weight?: number }>(
  targets: readonly Target[],
  key: string | undefined,
): readonly Target[] {
  if (targets.length < 2) return targets
  const draw = key === undefined ? Math.random : drawsOf(key)
  const left = [...targets]
  const ordered: Target[] = []
  while (left.length > 0) {
    let at = draw() * left.reduce((sum, { weight = 1 }) => sum + weight, 0)
    const found = left.findIndex(({ weight = 1 }) => (at -= weight) < 0)
    ordered.push(...left.splice(Math.max(found, 0), 1))
  }
  return ordered
}

// One number for each of the 16 targets that a route may have.
function drawsOf(key: string): () => number {
  const digest = hash('sha512', key, 'buffer')
  let next = 0
  return () => digest.readUInt32BE((next++ * 4) % digest.length) / 2 ** 32
}
