import { coreSettingSources } from '#core/config/core-settings.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'

type Environment = Readonly<Record<string, string | undefined>>

// Names that a shell has for this program alone, or that say the same to every program.
const kept = /^(MESH_|LOG_LEVEL$|OTEL_)/
// A person's kubeconfig is common and never used here, so it needs no word.
const silent = new Set(['KUBECONFIG'])

/**
 * The environment without the names of connections and addresses that a shell may hold for other programs, such as
 * `DATABASE_URL` or `GATEWAY_URL`: the embedded default starts its own. `ignored` are those that were set.
 */
export function ownEnvironment(
  env: Environment,
  plugins: readonly AnyPlugin[],
): { readonly env: Environment; readonly ignored: readonly string[] } {
  const sources = [...coreSettingSources, ...plugins.flatMap(({ settingsFrom = [] }) => settingsFrom)]
  const foreign = new Set(sources.map(({ from }) => from).filter((name) => !kept.test(name)))
  const entries = Object.entries(env).filter(([name]) => !foreign.has(name))
  const ignored = [...foreign].filter((name) => !silent.has(name) && (env[name] ?? '') !== '')
  return { env: Object.fromEntries(entries), ignored: ignored.toSorted() }
}

/** What is printed of ignored variables, with how to set them; undefined when there are none. */
export function ignoredLine(ignored: readonly string[]): string | undefined {
  if (ignored.length === 0) return undefined
  return `ignored from the environment: ${ignored.join(', ')} (set them in mesh.yaml, or in the file that MESH_CONFIG names)`
}
