/** What a key does on this page. */
export interface KeyBinding {
  /** One key or two after each other, as `KeyboardEvent.key` names them: `/`, `g h`, `Escape`, `Ctrl+k`. */
  readonly keys: string
  /** What it does, for the list of keys. */
  readonly label: string
  readonly run: () => void
}

/** What is known of a key press. */
export interface KeyPress {
  readonly key: string
  /** Control, or Command on a Mac. */
  readonly hasControl: boolean
  readonly hasAlt: boolean
  /** A field has the focus, which takes letters. */
  readonly isInField: boolean
}

/** What a key press means: the binding that acts, and the keys that began a longer one. */
export interface KeyMatch {
  readonly binding: KeyBinding | undefined
  readonly pending: string
}

/**
 * Finds the binding of a press after those that are pending. The binding that was registered last wins, so that Esc closes the innermost.
 * Letters act in no field, and not at all if they are off (WCAG 2.1.4).
 */
export function matchKeys(
  bindings: readonly KeyBinding[],
  press: KeyPress,
  { pending, areLettersOn }: { readonly pending: string; readonly areLettersOn: boolean },
): KeyMatch {
  const none: KeyMatch = { binding: undefined, pending: '' }
  if (press.hasAlt) return none
  const isLetter = !press.hasControl && [...press.key].length === 1
  if (isLetter && (press.isInField || !areLettersOn)) return none
  const name = press.hasControl ? `Ctrl+${press.key.toLowerCase()}` : press.key
  const typed = pending === '' ? name : `${pending} ${name}`
  const binding = bindings.findLast(({ keys }) => keys === typed)
  if (binding !== undefined) return { binding, pending: '' }
  if (bindings.some(({ keys }) => keys.startsWith(`${typed} `))) return { binding: undefined, pending: typed }
  return pending === '' ? none : matchKeys(bindings, press, { pending: '', areLettersOn })
}
