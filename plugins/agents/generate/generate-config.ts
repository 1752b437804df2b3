import { isObject } from '#core/json/is-object.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { findConfigProblems } from '#schemas/agent-file/find-problems.ts'
import { CONFIG_SCHEMA, nameFrom } from '#schemas/agent-file/config-request.ts'
import { agentFileSchema } from '#schemas/generated/agent-file-schema.ts'
import { conversationFor } from './prompt.ts'
import type { GenerateTask } from './prompt.ts'
import type { ChatMessage, JsonQuestion, ModelGateway } from './model-gateway.ts'
import { agentErrors } from '../contract/errors.ts'
import { toPatch } from '#schemas/values/json-diff.ts'
import type { GeneratedConfig } from '../contract/api.ts'
import { keepRest } from './keep-rest.ts'

/** The caller, and the ModelRoute to use. */
export interface GenerateContext {
  gateway: ModelGateway
  bearer: string
  /** `namespace/name` of the ModelRoute to call. */
  route: string
  signal: AbortSignal
}

// The first response and two repairs. A model that has failed three times with its errors in the prompt fails again.
const ROUNDS = 3

/** Response format of the model: a config in the simplified format, on an existing route, and one sentence about it. */
export function responseSchema({ routes, base }: Pick<GenerateTask, 'routes' | 'base'>): JsonQuestion['schema'] {
  const fields = isObject(agentFileSchema['properties']) ? agentFileSchema['properties'] : {}
  const model = { type: 'object', required: ['route'], properties: { route: { type: 'string', enum: routes } } }
  return {
    name: CONFIG_SCHEMA,
    schema: {
      type: 'object',
      additionalProperties: false,
      required: ['config', 'explanation'],
      properties: {
        // A generated agent is declarative, so it needs these beyond what the format itself requires.
        config: {
          ...agentFileSchema,
          required: base === undefined ? ['name', 'model', 'systemPrompt'] : [],
          properties: { ...(base === undefined ? fields : removable(fields)), model },
        },
        explanation: { type: 'string', minLength: 1, maxLength: 2000 },
      },
    },
  }
}

// A refined config may lose a field.
function removable(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, { anyOf: [field, { type: 'null' }] }]))
}

/** Creates or changes a config with a model. An invalid response is sent back to the model with its problems. */
export async function generateConfig(task: GenerateTask, context: GenerateContext): Promise<GeneratedConfig> {
  const messages: ChatMessage[] = conversationFor(task)
  const schema = responseSchema(task)
  let problems: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { gateway, bearer, route, signal } = context
    const text = await gateway.ask(bearer, { route, messages, schema, signal })
    const answer = readAnswer(text)
    const { config, warnings } = settle(answer?.config ?? {}, task)
    problems = answer === undefined ? ['the response is not JSON that matches the schema'] : describeProblems(config)
    if (answer !== undefined && problems.length === 0) {
      const repaired = round === 0 ? [] : [`The model needed ${round + 1} attempts for a valid config.`]
      const made = { config, explanation: answer.explanation, warnings: [...repaired, ...warnings] }
      return task.base === undefined ? made : { ...made, changes: toPatch(task.base, config) }
    }
    messages.push(
      { role: 'assistant', content: text.slice(0, 65_536) },
      { role: 'user', content: repairRequest(problems) },
    )
  }
  const errors = problems.map((detail) => ({ pointer: '/config', detail }))
  throw new Fail(agentErrors.generation_failed, `The model did not produce a valid config in ${ROUNDS} attempts.`, {
    errors,
  })
}

function describeProblems(config: Record<string, unknown>): string[] {
  return findConfigProblems(config).map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`))
}

function repairRequest(problems: readonly string[]): string {
  return `The config is not valid:\n${problems.map((problem) => `- ${problem}`).join('\n')}\nAnswer with the whole JSON again.`
}

function readAnswer(text: string): { config: Record<string, unknown>; explanation: string } | undefined {
  const value = parseJson(text)
  if (!isObject(value) || !isObject(value['config'])) return undefined
  const explanation = typeof value['explanation'] === 'string' ? value['explanation'] : ''
  return { config: value['config'], explanation }
}

// Models without response_format often put their JSON in a code fence.
function parseJson(text: string): unknown {
  const trimmed = text.trim()
  const fence = trimmed.endsWith('\n```') ? /^```(?:json)?[^\S\n]*\n/.exec(trimmed) : null
  try {
    return JSON.parse(fence === null ? trimmed : trimmed.slice(fence[0].length, -'\n```'.length))
  } catch {
    return undefined
  }
}

// Fields that the platform determines: the name of a refined config, its namespace, an existing route.
function settle(
  config: Record<string, unknown>,
  task: GenerateTask,
): { config: Record<string, unknown>; warnings: string[] } {
  const warnings: string[] = []
  const settled = task.base === undefined ? { ...config } : keepRest(task.base, config)
  const named = task.base?.['name']
  const isRenamed = named !== undefined && settled['name'] !== named
  if (isRenamed)
    warnings.push('The model changed the name. The original name was kept, because another name means another agent.')
  if (task.base?.['name'] !== undefined) settled['name'] = task.base['name']
  else if (!isAgentName(settled['name'])) settled['name'] = nameFrom(task.request)
  if (task.namespace !== undefined) settled['namespace'] = task.namespace
  const model = settled['model']
  const wanted = isObject(model) ? model['route'] : undefined
  const before = isObject(task.base?.['model']) ? task.base['model']['route'] : undefined
  const isKnown = wanted === before || (typeof wanted === 'string' && task.routes.includes(wanted))
  const place = before ?? task.routes[0]
  if (isObject(model) && (!isKnown || wanted === undefined) && place !== undefined) {
    warnings.push(`The model named a route that you cannot see; ${String(place)} is used instead.`)
    settled['model'] = { ...model, route: place }
  } else if (before !== undefined && wanted !== before)
    warnings.push(`The model changed the route from ${String(before)} to ${String(wanted)}.`)
  return { config: settled, warnings }
}

function isAgentName(name: unknown): boolean {
  return typeof name === 'string' && /^[a-z][-a-z0-9]{0,50}[a-z0-9]$/.test(name)
}
