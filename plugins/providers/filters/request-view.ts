import { mapStrings } from '#core/guardrails/body/map-strings.ts'
import type { BodyString } from '#core/guardrails/body/map-strings.ts'
import { isObject } from '#core/json/is-object.ts'
import type { Operation } from '../contract/adapter.ts'
import type { Body } from '../gateway/request/model-request.ts'
import type { ModelRequest, RequestText } from '../contract/model-filter.ts'

/** The view of a request for filters. `source` is the request as the provider receives it. `texts` throws `UnreadableBody`. */
export function createRequestView(operation: Operation, body: Body, source: Body = body): ModelRequest {
  const isChat = operation === 'chat/completions'
  const textOf = toRequestText(body)
  return {
    body,
    source,
    messages: isChat ? objectsIn(body.messages) : [],
    tools: isChat ? objectsIn(body.tools) : [],
    texts() {
      const found: RequestText[] = []
      mapStrings(body, (one) => {
        if (one.kind !== 'literal') found.push(textOf(one))
        return one.text
      })
      return found
    },
    mapTexts: (change) => mapStrings(body, (one) => (one.kind === 'literal' ? one.text : change(textOf(one)))),
  }
}

function toRequestText({ messages }: Body): (one: BodyString) => RequestText {
  const list = objectsIn(messages)
  return ({ pointer, kind, text }) => {
    const [, field, index] = pointer.split('/', 3)
    const message = field === 'messages' ? list[Number(index)] : undefined
    const role = typeof message?.role === 'string' ? message.role : undefined
    return { pointer, role, text, ...(kind === 'name' ? { isName: true } : {}) }
  }
}

function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
