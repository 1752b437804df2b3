const text = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
const mark = '/scratch/started'
if (!existsSync(mark)) {
  writeFileSync(mark, 'once')
  const held = []
  for (;;) held.push(Buffer.alloc(1 << 20, 1))
}
createServer((request, response) => {
  request.resume().on('end', () => {
    const output = { settings: readFileSync('/settings/greeting', 'utf8'), mark: readFileSync(mark, 'utf8') }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ output }))
  })
}).listen(Number(process.env.AGENT_PORT))
`

/** Output of the agent for each run. */
export const mountedOutput = { settings: 'Hi from a ConfigMap', mark: 'once' }

/**
 * An agent with volumes that exceeds its memory limit at its first start and serves at its second. A file in an `emptyDir`, which outlives
 * the container, marks the first start.
 */
export function mountingAgent(namespace: string, name: string): readonly object[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name: 'greetings' },
      data: { greeting: mountedOutput.settings },
    },
    {
      apiVersion: 'mesh.dev/v1alpha1',
      kind: 'AgentDeployment',
      metadata: { namespace, name },
      spec: {
        runtime: { command: ['node', '--input-type=module', '-e', text] },
        resources: { limits: { memory: '160Mi' } },
        pod: {
          volumes: [
            { name: 'scratch', emptyDir: {} },
            { name: 'greetings', configMap: { name: 'greetings' } },
          ],
          volumeMounts: [
            { name: 'scratch', mountPath: '/scratch' },
            { name: 'greetings', mountPath: '/settings', readOnly: true },
          ],
        },
      },
    },
  ]
}
