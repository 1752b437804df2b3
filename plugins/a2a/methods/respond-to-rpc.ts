import { Fail } from '#core/errors/domain-error.ts'
import { toAgentCard, toLegacyCard } from '../card/agent-card.ts'
import { toRpcUrl } from '../card/card-url.ts'
import { readExposed } from '../card/read-agent.ts'
import { a2aErrors } from '../contract/errors.ts'
import { readRpcRequest } from '../rpc/read-request.ts'
import { checkVersion } from '../rpc/version.ts'
import type { A2aServices } from '../services/create-services.ts'
import { toLegacyItem, toLegacyTask } from '../tasks/legacy.ts'
import { listTasks } from './list-tasks.ts'
import type { Dialect, HttpCall, Method } from './method.ts'
import { sendMessage, sendStreamingMessage } from './send-message.ts'
import { cancelTask, getTask, subscribeToTask } from './tasks.ts'

const current: Dialect = { sent: (task) => ({ task }), task: (task) => task, item: (item) => item, isLegacy: false }
const legacy: Dialect = { sent: toLegacyTask, task: toLegacyTask, item: toLegacyItem, isLegacy: true }

const getCard: Method = async ({ http, services, dialect }) => {
  const agent = await readExposed(http.caller, http.params)
  const url = toRpcUrl(services.settings.publicUrl, http, http.params)
  return dialect.isLegacy ? toLegacyCard(agent, url) : toAgentCard(agent, url)
}

const refusePush: Method = () => Promise.reject(new Fail(a2aErrors.a2a_push_not_supported))

// Method names depend on the version: paths in 0.3, names of the service definition in 1.0.
const methods: ReadonlyMap<string, readonly [Method, Dialect]> = new Map([
  ['SendMessage', [sendMessage, current]],
  ['SendStreamingMessage', [sendStreamingMessage, current]],
  ['GetTask', [getTask, current]],
  ['ListTasks', [listTasks, current]],
  ['CancelTask', [cancelTask, current]],
  ['SubscribeToTask', [subscribeToTask, current]],
  ['GetExtendedAgentCard', [getCard, current]],
  ['CreateTaskPushNotificationConfig', [refusePush, current]],
  ['GetTaskPushNotificationConfig', [refusePush, current]],
  ['ListTaskPushNotificationConfigs', [refusePush, current]],
  ['DeleteTaskPushNotificationConfig', [refusePush, current]],
  ['message/send', [sendMessage, legacy]],
  ['message/stream', [sendStreamingMessage, legacy]],
  ['tasks/get', [getTask, legacy]],
  ['tasks/cancel', [cancelTask, legacy]],
  ['tasks/resubscribe', [subscribeToTask, legacy]],
  ['agent/getAuthenticatedExtendedCard', [getCard, legacy]],
  ['tasks/pushNotificationConfig/set', [refusePush, legacy]],
  ['tasks/pushNotificationConfig/get', [refusePush, legacy]],
  ['tasks/pushNotificationConfig/list', [refusePush, legacy]],
  ['tasks/pushNotificationConfig/delete', [refusePush, legacy]],
])

/** Responds to one JSON-RPC request; undefined if the response was a stream. Throws errors, which `writeRpcError` writes. */
export async function respondToRpc(services: A2aServices, http: HttpCall): Promise<unknown> {
  const { id: rpcId, method, params } = readRpcRequest(http.body)
  checkVersion(http.headers)
  const [answer, dialect] = methods.get(method) ?? []
  if (answer === undefined || dialect === undefined)
    throw new Fail(a2aErrors.a2a_method_not_found, undefined, {
      errors: [{ pointer: '/method', detail: 'is unknown' }],
    })
  await readExposed(http.caller, http.params)
  const result = await answer({ services, runs: services.runs(), http, rpcId, params, dialect })
  return result === undefined ? undefined : { jsonrpc: '2.0', id: rpcId, result }
}
