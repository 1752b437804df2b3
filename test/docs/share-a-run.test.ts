import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { commandsOf } from '../flows/readme.ts'

const page = fileURLToPath(new URL('../../docs/how-to/share-a-run.md', import.meta.url))
const run = promisify(execFile)

interface Row {
  readonly action: string
  readonly resource_name: string
  readonly detail: { readonly runId?: string }
}

test('S1, S3: the commands of docs/how-to/share-a-run.md share a run of an agent, show it without an account, and revoke it', async (t) => {
  const platform = await sharedEmbedded()
  const folder = tempFolder('share-page')
  t.after(folder.remove)
  mkdirSync(join(folder.path, '.mesh'))
  writeFileSync(join(folder.path, '.mesh', 'tokens.json'), JSON.stringify(platform.tokens), { mode: 0o600 })
  const headings = ['Prepare', 'Run an agent', 'Share it', 'Revoke it']
  const blocks = headings.flatMap((heading) => commandsOf(page, heading))
  const marked = blocks.flatMap((block) => [block, 'echo; echo "--- $RUN"'])
  const programs = [dirname(process.execPath), process.env['PATH']].join(':')
  const script = ['set -eo pipefail', ...marked].join('\n').replaceAll('http://localhost:8080', platform.url)
  const { stdout } = await run('bash', ['-c', script], { cwd: folder.path, env: { PATH: programs, HOME: folder.path } })
  const [, , created = '', read = '', revoked = ''] = stdout.split(/\n--- .*\n/).map((part) => part.trim())
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
