export function keyOfSources(root: string, paths: readonly string[]): string
