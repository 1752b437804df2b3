import { changeActorFinder } from '#core/controllers/objects/extension-points.ts'
import { httpOutcome } from '#core/http/endpoint/extension-points.ts'
import { errorFormat } from '#core/http/problem/error-format.ts'
import type { Contribution, OwnedValue, Point } from '#core/jobs/extension-point.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'
import { didYouMean } from '#schemas/values/nearest.ts'
import { declaredBy, ofCore } from './slot-values.ts'
import { refuseShared } from './refuse-duplicates.ts'
import type { DeclaredValue } from './slot-values.ts'
import { BootError } from './startup-error.ts'

/** Extension points of core. */
const corePoints: readonly Point<unknown>[] = [httpOutcome, errorFormat, changeActorFinder]

/** Names of the extension points of core and of these plugins. Throws `BootError` for a point of two owners or with a foreign prefix. */
export function pointNames(plugins: readonly AnyPlugin[]): readonly string[] {
  const ofPlugins = declaredBy(plugins, ({ points }) => points)
  for (const { owner, plugin, value } of ofPlugins)
    if (!value.name.startsWith(`${plugin}.`))
      throw new BootError(`${owner}: the name of its point ${value.name} must begin with its own`)
  const all = [...ofCore(corePoints), ...ofPlugins]
  refuseShared(all, 'the point', ({ name }) => [name])
  return all.map(({ value }) => value.name)
}

/** Throws for a name that is not an extension point, with the nearest one. */
export function assertPoint(name: string, known: readonly string[]): void {
  if (!known.includes(name))
    throw new TypeError(`unknown extension point ${JSON.stringify(name.slice(0, 80))}${didYouMean(name, known)}`)
}

/** Refuses contributions to a point that neither core nor a listed plugin owns: nothing would read them. */
export function refuseUnownedPoints(
  contributions: readonly DeclaredValue<Contribution>[],
  known: readonly string[],
): void {
  for (const { owner, value } of contributions)
    if (!known.includes(value.point))
      throw new BootError(
        `${owner} contributes to the point ${value.point}, which no plugin declares${didYouMean(value.point, known)}`,
      )
}

/** A contribution and the plugin that makes it. */
export interface OwnedContribution extends Contribution {
  readonly plugin: string
}

/** Refuses values that their point refuses, and two values with one key at a point that has keys. Messages name the plugins. */
export function checkContributions(
  contributions: readonly DeclaredValue<Contribution>[],
  plugins: readonly AnyPlugin[],
): void {
  const kinds = declaredBy(plugins, (one) => one.kinds?.map(({ kind }) => kind)).map(owned)
  for (const point of plugins.flatMap(({ points = [] }) => points)) {
    const own = contributions
      .filter(({ value }) => value.point === point.name)
      .map(({ owner, plugin, value: { value } }) => owned({ owner, plugin, value }))
    refuseInvalid(point, own, kinds)
    const { name, key } = point
    if (key !== undefined) refuseShared(own, `the ${name}`, (value) => [key(value)])
  }
}

function owned<T>({ owner, plugin = '', value }: DeclaredValue<T>): OwnedValue<T> {
  return { owner, plugin, value }
}

function refuseInvalid(
  { check }: Point<unknown>,
  values: readonly OwnedValue<unknown>[],
  kinds: readonly OwnedValue<AnyKind>[],
): void {
  try {
    check?.(values, kinds)
  } catch (error) {
    throw new BootError(error instanceof Error ? error.message : String(error), error)
  }
}
