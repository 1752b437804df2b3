import type { UserInfo } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { JwsRefused } from '#core/signing/jws.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { readGrant } from '../grants/grants.ts'
import { readContent } from '../store/internal/content.ts'

/** Dependencies. */
interface SubjectServices {
  readonly core: Pick<Core, 'keys' | 'now'>
  readonly store: Pick<Store, 'reader'>
}

/** The subject of a run, with the groups of its review. */
export async function subjectOfRun({ core, store }: SubjectServices, run: Pick<SelectedRun, 'id'>): Promise<UserInfo> {
  const content = await readContent(store.reader<RunsTables>(), run.id)
  if (!content) throw new Fail('not_found')
  const grant = await readGrant(core.keys, content.grant_token, core.now()).catch((error: unknown) => {
    throw error instanceof JwsRefused ? new Fail('unauthenticated') : error
  })
  return { username: grant.subject, uid: '', groups: grant.groups, extra: {} }
}
