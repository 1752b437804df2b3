/** An Event of an agent, as `kubectl describe` shows it. */
export interface Happening {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}
