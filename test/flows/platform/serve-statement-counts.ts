import { createServer } from 'node:http'
import { PGlite } from '@electric-sql/pglite'
import { createStatementCounter } from '#test/harness/statement-count.ts'

// `node --import serve-statement-counts.ts main.ts all`: answers on the Unix socket STATEMENT_COUNTS with the transactions sent to PGlite.

const counter = createStatementCounter()
const send = counter.connection()
// Every query passes through this method, whatever API of PGlite sent it.
const { execProtocolRawSync } = PGlite.prototype
PGlite.prototype.execProtocolRawSync = function (this: PGlite, message) {
  send(message)
  return execProtocolRawSync.call(this, message)
}

createServer((_request, response) => response.end(JSON.stringify(counter.transactions())))
  .listen(process.env['STATEMENT_COUNTS'])
  .unref()
