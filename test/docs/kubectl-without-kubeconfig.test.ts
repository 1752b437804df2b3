import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findServer, needs } from '#test/harness/find-server.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'

test('kubectl without a kubeconfig says what to write instead', needs('kubectl'), async (t) => {
  const home = tempFolder('no-kubeconfig')
  t.after(home.remove)
  const { url } = await sharedEmbedded()
  const agents = fileURLToPath(new URL('../../examples/agents/tools-objects.yaml', import.meta.url))
  const env = { HOME: home.path, KUBECONFIG: join(home.path, 'none') }
  // Without a kubeconfig it asks port 8080 of this machine, which is that of `npm start`; tests have another.
  for (const command of [
    ['get', 'agents'],
    ['apply', '-f', agents],
  ]) {
    const refused = await promisify(execFile)(findServer('kubectl') ?? '', [...command, '--server', url], {
      env,
    }).catch((error: unknown) => error as { readonly stderr: string })
    assert.match(refused.stderr, /This port serves mesh, not the API of Kubernetes\. .*npx mesh env --as developer/)
  }
})
