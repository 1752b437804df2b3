import { mapConcurrently } from '#core/async/map-concurrently.ts'
import { cutPage } from '#core/database/cut-page.ts'
import { A2aListParams } from '#schemas/api/a2a.ts'
import type { A2aListRequest } from '#schemas/api/a2a.ts'
import { isStorableTime } from '#schemas/values/storable-text.ts'
import { invalidParam, methodParamsReader } from '../rpc/read-request.ts'
import { runsInState, toListedTask, toTask } from '../tasks/to-task.ts'
import type { Method, MethodCall } from './method.ts'

const readParams = methodParamsReader(A2aListParams)

const defaultSize = 50
// With content, each task of a page is read separately.
const mostWithContent = 20

/** `ListTasks`: tasks of the agent, the newest first. */
export const listTasks: Method = async (call) => {
  const request = readParams(call.params)
  const { http, runs } = call
  const { caller, params, cursors } = http
  const access = await caller.review('list', 'runs', { namespace: params.ns })
  const { pageSize = defaultSize, pageToken = '', ...rest } = request
  const bound = { ...rest, agent: `${params.ns}/${params.name}` }
  const after = pageToken === '' ? undefined : toKey(openToken(cursors, pageToken, bound))
  const limit = hasContent(request) ? Math.min(pageSize, mostWithContent) : pageSize
  const filter = toFilter(call, request)
  const { items, last } = cutPage(await runs.list(access, filter, { limit: limit + 1, after }), limit)
  const tasks = hasContent(request)
    ? await mapConcurrently(items, async ({ id }) => withContent(toTask(await runs.get(caller, id), request), request))
    : items.map(toListedTask)
  return {
    tasks,
    nextPageToken: last === undefined ? '' : cursors.seal([last.createdAt, last.id], bound),
    pageSize: limit,
    totalSize: await runs.count(access, filter),
  }
}

function hasContent({ includeArtifacts, historyLength = 0 }: A2aListRequest): boolean {
  return includeArtifacts === true || historyLength > 0
}

function withContent(task: ReturnType<typeof toTask>, { includeArtifacts, historyLength = 0 }: A2aListRequest): object {
  const { artifacts = [], history, ...listed } = task
  return {
    ...listed,
    ...(includeArtifacts === true ? { artifacts } : {}),
    ...(historyLength > 0 ? { history } : {}),
  }
}

function toFilter({ http }: MethodCall, { contextId = '', status, statusTimestampAfter: since }: A2aListRequest) {
  const isFiltered = status !== undefined && status !== 'TASK_STATE_UNSPECIFIED'
  return {
    agent: http.params.name,
    ...(contextId === '' ? {} : { conversationId: contextId }),
    ...(since === undefined ? {} : { changedSince: toTime(since) }),
    ...(isFiltered ? runsInState(status) : {}),
  }
}

// RFC 3339 has leap seconds and the year 0, which are not valid dates in the database.
function toTime(text: string): Date {
  const time = new Date(text)
  if (isStorableTime(time.getTime())) return time
  throw invalidParam('/statusTimestampAfter', 'must be an RFC 3339 time in the years 1 to 9999')
}

function openToken(cursors: MethodCall['http']['cursors'], token: string, bound: unknown): unknown {
  try {
    return cursors.open(token, bound)
  } catch {
    throw invalidParam('/pageToken', 'is not a page token of this list')
  }
}

function toKey(position: unknown): { readonly createdAt: Date; readonly id: string } {
  const [createdAt, id] = Array.isArray(position) ? position : []
  return { createdAt: new Date(String(createdAt)), id: String(id) }
}
