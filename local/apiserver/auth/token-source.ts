import type { TokenIssue } from './authenticate.ts'

interface Kept {
  readonly uid: string
  readonly token: Promise<string>
  readonly renewAt: number // Unix milliseconds
}

/** Share of its life after which a token is renewed, as kubelet does. */
const RENEWED_AFTER = 0.8

/**
 * Returns a source of tokens of one service account. A token is kept for 80 % of its life: a new one per call would be signed here and
 * verified by the server each time. `describe` throws if the account does not exist; a re-created account gets its own token.
 */
export function createTokenSource(
  describe: () => TokenIssue,
  issue: (request: TokenIssue) => Promise<string>,
  now: () => Date,
): () => Promise<string> {
  let kept: Kept | undefined
  return async () => {
    const request = describe()
    const { uid } = request.serviceAccount
    const at = now().getTime()
    if (kept === undefined || kept.uid !== uid || at >= kept.renewAt) {
      const mine = { uid, token: issue(request), renewAt: at + request.expirationSeconds * 1000 * RENEWED_AFTER }
      kept = mine
      mine.token.catch(() => {
        if (kept === mine) kept = undefined
      })
    }
    return kept.token
  }
}
