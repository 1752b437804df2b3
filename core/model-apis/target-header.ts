/** Value of `x-mesh-target`: `namespace/provider/model`. Characters of the model that no header has are percent-encoded. */
export function toModelHeader(provider: string, model: string): string {
  return `${provider}/${model.replaceAll(/[^\x21-\x24\x26-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()))}`
}

/** The target of a model call, as the headers of its response name it. */
export interface RespondingTarget {
  /** Value of `x-mesh-target`. */
  readonly target?: string
  /** Attempts at targets, with the one that answered. */
  readonly attempts?: number
}

const maxTarget = 4096

/** Reads `x-mesh-target` and `x-mesh-attempts`. */
export function targetInHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): RespondingTarget {
  const { 'x-mesh-target': target, 'x-mesh-attempts': attempts } = headers
  return {
    ...(typeof target === 'string' && target.length <= maxTarget ? { target } : {}),
    ...(typeof attempts === 'string' && /^\d{1,3}$/.test(attempts) ? { attempts: Number(attempts) } : {}),
  }
}

/** The model in a value of `x-mesh-target`; undefined for anything else. */
export function modelInHeader(value: string | undefined): string | undefined {
  const [, , ...model] = value?.split('/') ?? []
  try {
    const decoded = decodeURIComponent(model.join('/'))
    return decoded === '' ? undefined : decoded
  } catch {
    return undefined
  }
}
