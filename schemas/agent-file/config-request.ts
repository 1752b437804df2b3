import { isObject } from '#core/json/is-object.ts'

/** Name of the response schema of generate and refine, by which the mock provider recognizes it. */
export const CONFIG_SCHEMA = 'mesh_agent_config'

/** A request to a model: a new agent, or a change of an existing one. */
export interface ConfigRequest {
  /** Description of the agent or the change, as the user wrote it. */
  readonly request: string
  /** The config to change; absent for a new one. */
  readonly base?: Readonly<Record<string, unknown>>
}

const making = 'Make an agent for this request:'
const changing = 'Change this agent:'
const asRequested = 'as requested, and keep everything else as it is. A field that is null is removed:'

/** The message of a request. The JSON has no line breaks, so the message can be parsed again. */
export function toConfigMessage({ request, base }: ConfigRequest): string {
  if (base === undefined) return `${making}\n${request}`
  return `${changing}\n${JSON.stringify(base)}\n${asRequested}\n${request}`
}

/** Reads a message of `toConfigMessage`; undefined for any other message. */
export function readConfigMessage(message: string): ConfigRequest | undefined {
  const [head, second = '', third, ...rest] = message.split('\n')
  if (head === making) return { request: message.slice(making.length + 1) }
  if (head !== changing || third !== asRequested) return undefined
  const base = parseObject(second)
  return base && { request: rest.join('\n'), base }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A name from the first words of a request: `Summarise my mails!` becomes `summarise-my-mails`. Pure. */
export function nameFrom(request: string): string {
  const words =
    request
      .slice(0, 400)
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  const name = words
    .slice(0, 4)
    .join('-')
    .replace(/^[0-9-]+/, '')
    .slice(0, 40)
    .replace(/(?<!-)-+$/, '')
  return name === '' ? 'agent' : name
}
