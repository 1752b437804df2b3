import type { Static } from 'typebox'
import type { AgentVersion } from '#schemas/api/agents.ts'

/** A version as the list shows it. */
export type ShownVersion = Static<typeof AgentVersion>

/** Two versions that are compared. */
export interface ComparedVersions {
  readonly from: number
  readonly to: number
}

/** What the address asks for. */
interface AskedVersions {
  readonly from: string | undefined
  readonly to: string | undefined
}

/**
 * The versions of the address; without it the newest one, compared with the one that serves, or with the one before it. Undefined with fewer than
 * two versions. Pure.
 */
export function comparedVersions(
  versions: readonly ShownVersion[],
  serving: readonly number[],
  asked: AskedVersions,
): ComparedVersions | undefined {
  const [newest, before] = versions
  if (newest === undefined || before === undefined) return undefined
  const find = (revision: string | undefined): number | undefined =>
    versions.find((one) => String(one.revision) === revision)?.revision
  const to = find(asked.to) ?? newest.revision
  const others = versions.filter(({ revision }) => revision !== to)
  const asks = find(asked.from)
  const serves = isServing(newest, serving) ? undefined : others.find((one) => isServing(one, serving))?.revision
  const older = others.find(({ revision }) => revision < to) ?? others[0]
  const from = asks === to ? undefined : asks
  return { from: from ?? serves ?? older?.revision ?? before.revision, to }
}

/** Whether pods of a version take runs. Pods keep the number that their version had when they started. */
export function isServing({ revision, formerRevisions }: ShownVersion, serving: readonly number[]): boolean {
  return [revision, ...formerRevisions].some((one) => serving.includes(one))
}
