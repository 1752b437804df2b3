import type { FastifyReply, FastifyRequest } from 'fastify'

// kubectl shows the message of this status; for 401 and 404 it shows its own sentence.
const NOT_ACCEPTABLE = 406
const HINT = `This port serves mesh, not the API of Kubernetes. Where npm start runs, write: eval "$(npx mesh env --as developer)". On a cluster, use its kubeconfig.`

const paths: ReadonlySet<string> = new Set(['/api', '/apis', '/openapi/v2', '/openapi/v3'])

/** Whether the request is the first of kubectl, which without a kubeconfig calls port 8080 of this machine. */
export function isKubectl({ method, raw }: FastifyRequest): boolean {
  const [path = ''] = (raw.url ?? '').split('?', 1)
  const { accept = '', 'user-agent': agent = '' } = raw.headers
  return (
    method === 'GET' && paths.has(path) && (agent.startsWith('kubectl/') || accept.includes('g=apidiscovery.k8s.io'))
  )
}

/** Responds with the command to use instead. The response is constant, and precedes the authentication that kubectl would report. */
export function respondToKubectl(reply: FastifyReply): FastifyReply {
  return reply.code(NOT_ACCEPTABLE).type('text/plain; charset=utf-8').send(`${HINT}\n`)
}
