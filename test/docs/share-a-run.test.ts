import assert from 'node:assert/strict'
import test from 'node:test'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

interface Row {
  readonly action: string
  readonly resource_name: string
  readonly detail: { readonly runId?: string }
}

test('R2-UX-4, S1, S3: the commands of docs/how-to/share-a-run.md share a run of an agent, show it without an account, and revoke it', async (t) => {
  const platform = await sharedEmbedded()
  const shell = createPageShell(t, 'share-a-run.md', platform)
  const outputs: string[] = []
  for (const heading of ['Run an agent', 'Share it', 'Revoke it']) outputs.push(...(await shell.section(heading)))
  const [, created = '', read = '', revoked = ''] = outputs
  const share = JSON.parse(created) as { id: string; token: string; url: string; redaction: { content: string } }
  const path = `/api/shared/runs/${share.token}`
  assert.deepEqual([share.url, share.redaction.content], [`${platform.url}${path}`, 'full'])
  const shown = JSON.parse(read) as {
    run: { id: string; state: string; input: string }
    events: readonly { kind: string }[]
  }
  assert.deepEqual([shown.run.state, shown.run.input], ['succeeded', 'Write to [redacted].'])
  assert.ok(shown.events.some(({ kind }) => kind === 'message.finished') && !/a@b\.example|admin/.test(read))
  const mine = JSON.parse(revoked) as { items: readonly { id: string; views: number; maxViews: number }[] }
  assert.deepEqual(mine.items.find(({ id }) => id === share.id)?.views, 1)
  const gone = await platform.send({ path })
  assert.equal(gone.status, 404, gone.text)
  const rows = await auditOf(share.id)
  assert.deepEqual(rows.toSorted(), ['create true', 'delete true'])

  async function auditOf(shareId: string): Promise<readonly string[]> {
    const end = performance.now() + 60_000
    for (;;) {
      const query = '/api/audit?kind=RunShare&limit=200'
      const answer = await platform.send({ path: query, bearer: platform.tokens['admin'] ?? '' })
      assert.equal(answer.status, 200, answer.text)
      assert.ok(!answer.text.includes(share.token.slice(5)), 'S5: no audit row has the token')
      const { items } = answer.json<{ items: readonly Row[] }>()
      const ofShare = items.filter((row) => row.resource_name === shareId)
      if (ofShare.length > 1 || performance.now() > end)
        return ofShare.map(({ action, detail }) => `${action} ${detail.runId === shown.run.id}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
})
