import { stringify } from 'yaml'
import { toSafeYaml } from './safe-text.ts'

// Loaded for `-o yaml` only. In a split bundle, a dynamic import of the package itself, which is CommonJS, has a default export only.

/** YAML without control characters. */
export function toYaml(value: unknown): string {
  return toSafeYaml(stringify(value))
}
