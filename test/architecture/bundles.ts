import { isTest } from './sources.ts'
import type { Source } from './sources.ts'

/** Packages in the bundle of the launcher, which starts in every agent pod: each costs memory there. */
export const launcherPackages: readonly string[] = [
  '@bufbuild/protobuf',
  'eventsource-parser',
  'jose',
  're2js',
  'undici',
]

/**
 * Packages that an entry imports as values, itself or through other files, also those that are loaded late. Sorted. A bundler includes them;
 * the packages that they need are not followed.
 */
export function packagesOf(sources: readonly Source[], entry: string): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const seen = new Set<string>()
  const packages = new Set<string>()
  const waiting = [entry]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    for (const { target, typeOnly } of byPath.get(path)?.imports ?? []) {
      if (typeOnly || target.startsWith('node:')) continue
      if (target.endsWith('.ts')) waiting.push(target)
      else packages.add(target.split('/', target.startsWith('@') ? 2 : 1).join('/'))
    }
  }
  return [...packages].toSorted()
}

/** Names that sources import from undici and that its replacement in bundles (`scripts/images/undici.mjs`) does not export, as `path: name`. */
export function missingFromUndici(sources: readonly Source[], replacement: string): string[] {
  const exported = new Set(
    [...replacement.matchAll(/^export (?:async )?(?:function (\w+)|\{ default as (\w+) \})/gm)].map(
      ([, named, renamed]) => named ?? renamed,
    ),
  )
  return sources
    .filter(({ path }) => !isTest(path) && !path.startsWith('scripts/'))
    .flatMap((source) =>
      namesFromUndici(source)
        .filter((name) => !exported.has(name))
        .map((name) => `${source.path}: ${name}`),
    )
}

function namesFromUndici({ code, imports }: Source): readonly string[] {
  const values = imports.filter(({ target, typeOnly }) => target === 'undici' && !typeOnly)
  const names = values.flatMap(({ names: imported }) => imported)
  if (!values.some(({ dynamic }) => dynamic)) return names
  // Where it is loaded late, its exports are parameters.
  const parameters = /import\('undici'\)\.then\(\s*\(\{([^{}]*)\}|\{([^{}]*)\}: typeof Undici\b/g
  const late = [...code.matchAll(parameters)].flatMap(([, first, second]) => (first ?? second ?? '').split(','))
  return [...names, ...late.map((name) => name.replace(/:.*$/, '').trim()).filter((name) => name !== '')]
}
