export const oldestNode: readonly [major: number, minor: number]

export function findNode(): string | undefined
