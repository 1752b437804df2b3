import { calledRun } from '#plugins/runs/contract/wire.ts'
import { anyValue, flag, integer, list, object, optionalField, reply, string } from '#schemas/wire/schema.ts'
import { statePath } from '#schemas/wire/state-path.ts'

const peer = reply({
  namespace: string(),
  name: string(),
  role: string(),
  outbound: flag,
  inbound: flag,
  url: optionalField(string()),
  uid: string(),
})
const registry = reply({ id: string(), role: string(), maxDepth: integer(0, 1_000), peers: list(peer) })

/** The agents that the calling agent may call, and the agents that may call it, by registry. */
export const directory = statePath({
  method: 'GET',
  path: '/amp/directory',
  status: 200,
  response: reply({ registries: list(registry) }),
})

/** The launcher of a called agent creates the run of the call. `envelope` is the caller's. */
export const startCalledRun = statePath({
  method: 'POST',
  path: '/amp/calls',
  request: object({ envelope: string({ minLength: 1, maxLength: 4096 }), payload: anyValue }),
  status: 201,
  response: calledRun,
})

/** It reads the run; the query parameter `wait` is the maximum wait for its end, in seconds. */
export const readCalledRun = statePath({ method: 'GET', path: '/amp/calls/:id', status: 200, response: calledRun })
