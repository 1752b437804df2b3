// A refund desk: grants small amounts, asks a person about large ones. Node.js without packages.
import { createServer } from 'node:http'

createServer(async (request, response) => {
  if (request.url !== '/invoke') return response.writeHead(404).end()
  const { input, context } = JSON.parse(Buffer.concat(await request.toArray()))
  if (context?.resume) {
    const [{ decision }] = context.resume.resolutions
    const { amount } = context.resume.checkpoint
    return answer(response, { output: { refunded: decision === 'approve' ? amount : 0 } })
  }
  if (typeof input === 'string') return stream(response, ['Thank you, ', 'we will look into it.'])
  const { amount } = input
  if (amount <= 100) return answer(response, { output: { refunded: amount } })
  const question = { id: 'refund', reason: 'approval_required', question: `Refund ${amount}?` }
  answer(response, { interrupts: [question], checkpoint: { amount } })
}).listen(process.env.AGENT_PORT, '127.0.0.1')

function answer(response, value) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function stream(response, words) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const word of words) response.write(`data: ${word}\n\n`)
  response.end()
}
