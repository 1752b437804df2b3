/** Closed: calls pass. Open: none does. Half-open: one call tries the target, the others do not pass. */
export type CircuitState = 'closed' | 'open' | 'half-open'

/** When a circuit opens, and for how long. */
export interface CircuitRules {
  readonly failures: number
  readonly openMs: number
}

/** One attempt that a circuit let through. Its first end counts. */
export interface CircuitPass {
  /** A successful response has begun. */
  began(): void
  succeeded(): void
  failed(errorClass: string): void
  /** The attempt says nothing about the target: its caller left, or the request was refused. */
  left(): void
}

/** The circuit of one target. */
export interface Circuit {
  /** Undefined: the target is not to be called now. */
  enter(): CircuitPass | undefined
  state(): CircuitState
  /** Milliseconds until an open circuit lets a call through. */
  waitMs(): number
  lastErrorClass(): string | undefined
}

/** Dependencies of a circuit. */
export interface CircuitParts {
  readonly rules: () => CircuitRules
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly onChange: () => void
}

/** Creates a closed circuit. */
export function createCircuit({ rules, now, onChange }: CircuitParts): Circuit {
  let failures = 0
  let openUntil: number | undefined
  let isProbing = false
  let lastErrorClass: string | undefined
  const state = (): CircuitState => {
    if (openUntil === undefined) return 'closed'
    return isProbing || now() >= openUntil ? 'half-open' : 'open'
  }
  const open = (): void => {
    openUntil = now() + rules().openMs
    failures = 0
    onChange()
  }
  const close = (): void => {
    openUntil = undefined
    failures = 0
    onChange()
  }
  const noteError = (errorClass: string): void => {
    if (errorClass === lastErrorClass) return
    lastErrorClass = errorClass
    onChange()
  }
  const usual: CircuitPass = {
    began: () => undefined,
    succeeded: () => {
      failures = 0
    },
    failed: (errorClass) => {
      noteError(errorClass)
      // Calls that began before it opened do not keep it open.
      if (openUntil === undefined && ++failures >= rules().failures) open()
    },
    left: () => undefined,
  }
  const probe = (): CircuitPass => {
    let ended = false
    const end = (then: () => void): void => {
      if (ended) return
      ended = true
      isProbing = false
      then()
    }
    return {
      // Other calls do not wait for the end of a long stream.
      began: () => end(close),
      succeeded: () => end(close),
      failed: (errorClass) => {
        noteError(errorClass)
        end(open)
      },
      left: () => end(onChange),
    }
  }
  return {
    enter() {
      const at = state()
      if (at === 'closed') return usual
      if (at === 'open' || isProbing) return undefined
      isProbing = true
      onChange()
      return probe()
    },
    state,
    waitMs: () => (openUntil === undefined ? 0 : Math.max(0, openUntil - now())),
    lastErrorClass: () => lastErrorClass,
  }
}
