import { type ReactNode, useState } from 'react';
import { addressOf } from '../call.ts';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { Badge, Card, Page } from '../widgets/page.tsx';
import { Empty, messageOf, Resolved } from '../widgets/states.tsx';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
}

interface ApiCall {
  readonly path: string;
  readonly method: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly hasBody: boolean;
}

interface ApiDocument {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          Omit<ApiCall, 'path' | 'method' | 'hasBody'> & { readonly requestBody?: object }
        >
      >
    >
  >;
}

/** All calls of the server, each with a form to try it. */
export function ReferencePage({ chosen }: { readonly chosen: string | undefined }): ReactNode {
  const { call } = useSession();
  const [filter, setFilter] = useState('');
  const calls = useResource('openapi', async (signal) =>
    callsOf((await call('/openapi.json', { signal })) as unknown as ApiDocument),
  );
  return (
    <Page
      title="API"
      about={
        <>
          Every call of this server. Those that you try here are made as you. To read about all
          types: <a href="/docs">the document</a>.
        </>
      }
      actions={
        <input
          aria-label="Filter calls"
          placeholder="Filter calls"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      }
    >
      <Resolved of={calls} what="the calls">
        {(all) => {
          const shown = all.filter(({ path, summary }) =>
            `${path} ${summary}`.toLowerCase().includes(filter.toLowerCase()),
          );
          const tags = [...new Set(shown.flatMap((each) => each.tags))];
          return tags.length === 0 ? (
            <Empty title="No call matches" />
          ) : (
            tags.map((tag) => (
              <Card key={tag} title={tag} flush>
                {shown
                  .filter((each) => each.tags.includes(tag))
                  .map((each) => (
                    <details
                      className="api-call"
                      key={each.operationId}
                      open={each.operationId === chosen}
                    >
                      <summary>
                        <Badge
                          tone={
                            each.method === 'GET'
                              ? 'good'
                              : each.method === 'DELETE'
                                ? 'bad'
                                : 'accent'
                          }
                        >
                          {each.method}
                        </Badge>
                        <code>{each.path}</code>
                        <span className="quiet">{each.summary}</span>
                      </summary>
                      <TryCall call={each} />
                    </details>
                  ))}
              </Card>
            ))
          );
        }}
      </Resolved>
    </Page>
  );
}

function callsOf({ paths }: ApiDocument): readonly ApiCall[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody, ...operation }]) => ({
      ...operation,
      parameters: operation.parameters ?? [],
      path,
      method: method.toUpperCase(),
      hasBody: requestBody !== undefined,
    })),
  );
}

function TryCall({
  call: { path, method, description, parameters, hasBody },
}: {
  readonly call: ApiCall;
}): ReactNode {
  const { fetch: send } = useSession();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState('{}');
  const [answer, setAnswer] = useState<{ readonly status: string; readonly text: string }>();
  const tryCall = async (): Promise<void> => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(values[name] ?? ''),
    );
    const query = Object.fromEntries(
      parameters
        .filter(
          ({ in: place, name }) =>
            place === 'query' && values[name] !== undefined && values[name] !== '',
        )
        .map(({ name }) => [name, values[name]]),
    );
    try {
      const response = await send(addressOf(filled, query), {
        method,
        ...(hasBody && { headers: { 'content-type': 'application/json' }, body }),
      });
      const text = await response.text();
      setAnswer({
        status: `${response.status} ${response.statusText}`,
        text: pretty(text).slice(0, 100_000),
      });
    } catch (error) {
      setAnswer({ status: 'no answer', text: messageOf(error) });
    }
  };
  return (
    <form
      className="try-call"
      onSubmit={(event) => {
        event.preventDefault();
        void tryCall();
      }}
    >
      <p>{description}</p>
      {parameters
        .filter(({ in: place }) => place !== 'header')
        .map(({ name, description: about, required, in: place }) => (
          <label className="field" key={`${place} ${name}`}>
            <span>{name}</span>
            <input
              required={required === true}
              value={values[name] ?? ''}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
            {about !== undefined && <small>{about}</small>}
          </label>
        ))}
      {hasBody && (
        <label className="field">
          <span>Body</span>
          <textarea
            rows={6}
            value={body}
            spellCheck={false}
            onChange={(event) => setBody(event.target.value)}
          />
        </label>
      )}
      <div className="toolbar">
        <button type="submit" className="button">
          Try it
        </button>
        {answer !== undefined && (
          <Badge tone={answer.status.startsWith('2') ? 'good' : 'bad'}>{answer.status}</Badge>
        )}
      </div>
      {answer !== undefined && (
        <pre className="json" tabIndex={0} role="region" aria-label="Answer">
          {answer.text}
        </pre>
      )}
    </form>
  );
}

function pretty(text: string): string {
  try {
    return /\d{16}/.test(text) ? text : JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
