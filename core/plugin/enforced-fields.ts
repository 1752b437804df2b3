import { Fail } from '#core/errors/domain-error.ts'
import { isObject } from '#core/json/is-object.ts'

/** A field of a kind's spec that has no effect without the plugin that declares it. */
export interface EnforcedField {
  readonly kind: string
  /** Path below the spec: `guardrails`, `memory.session`, `tools[].bindingRef`. */
  readonly field: string
}

/** An enforced field whose plugin is unwired in this process. */
export interface UnenforcedField extends EnforcedField {
  readonly plugin: string
  /** Reason for users: `disabled in the settings`. */
  readonly because: string
}

interface EnforcingPlugin {
  readonly name: string
  readonly enforces?: readonly EnforcedField[]
}

/** Parts of a plugin's wiring that this module reads; `Wired` of core services imports this module. */
interface Wiring {
  readonly wiring: string
  readonly because?: string
}

/** The fields of a kind that no plugin enforces in this process. */
export function unenforcedFields(
  kind: string,
  plugins: readonly EnforcingPlugin[],
  wired: ReadonlyMap<string, Wiring>,
): readonly UnenforcedField[] {
  return plugins.flatMap(({ name, enforces = [] }) => {
    const { wiring, because = 'not configured' } = wired.get(name) ?? {}
    if (wiring !== 'unwired') return []
    return enforces.filter((one) => one.kind === kind).map((one) => ({ ...one, plugin: name, because }))
  })
}

/** Says which of these fields a spec uses and why nothing enforces it; undefined if it uses none. */
export function problemOfUnenforced(spec: unknown, fields: readonly UnenforcedField[]): string | undefined {
  const used = fields.find(({ field }) => isUsed(spec, stepsOf(field)))
  return used && `spec.${used.field} needs the plugin ${used.plugin}, which is not available: ${used.because}.`
}

/** Throws `plugin_disabled` if a spec uses one of these fields: a call that its owner wants limited is not made unlimited. */
export function refuseUnenforced(spec: unknown, fields: readonly UnenforcedField[]): void {
  const problem = problemOfUnenforced(spec, fields)
  if (problem !== undefined) throw new Fail('plugin_disabled', problem)
}

/** Whether the schema of a spec has the field. */
export function hasField(schema: unknown, field: string): boolean {
  let node = schema
  for (const step of stepsOf(field)) node = step === '[]' ? at(node, 'items') : at(at(node, 'properties'), step)
  return isObject(node)
}

// An empty list requests nothing.
function isUsed(value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null
  if (step === '[]') return Array.isArray(value) && value.some((item) => isUsed(item, rest))
  return isUsed(at(value, step), rest)
}

function at(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function stepsOf(field: string): readonly string[] {
  return field.split('.').flatMap((name) => (name.endsWith('[]') ? [name.slice(0, -2), '[]'] : [name]))
}
