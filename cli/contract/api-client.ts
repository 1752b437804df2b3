export type { ApiClient, ApiPath, ApiQuery, ListPage } from '#core/http-client/api-client.ts'
