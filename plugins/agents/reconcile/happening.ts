/** Something that `kubectl describe` shows of an agent. */
export interface Happening {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}
