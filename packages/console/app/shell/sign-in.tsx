import icon from '../icon.svg';
import { type ReactNode, useState } from 'react';
import { messageOf } from '../widgets/states.tsx';
import type { AboutServer } from './about-server.ts';
import { openSession, type Session } from '../session.ts';

/** The sign-in page. In the quickstart it lists the tokens, which are public. */
export function SignIn({
  about,
  notice,
  onSignedIn,
  onRefused,
}: {
  readonly about: AboutServer | undefined;
  readonly notice: string | undefined;
  readonly onSignedIn: (session: Session, token: string) => void;
  readonly onRefused: () => void;
}): ReactNode {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const signIn = async (given: string): Promise<void> => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      onSignedIn(await openSession(given, onRefused), given);
    } catch (error) {
      setProblem(messageOf(error));
      setIsBusy(false);
    }
  };
  return (
    <main className="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void signIn(token.trim());
        }}
      >
        <div className="brand">
          <img src={icon} alt="" />
          <h1>Quire</h1>
        </div>
        {notice !== undefined && (
          <p className="notice warn" role="status">
            {notice}
          </p>
        )}
        <label className="field">
          <span>Token</span>
          <input
            type="password"
            name="token"
            autoComplete="current-password"
            value={token}
            required
            // The first control of this page.
            autoFocus
            onChange={(event) => setToken(event.target.value)}
          />
          <small>It is stored only in this tab, and deleted when you close it.</small>
        </label>
        {problem !== undefined && (
          <div className="notice bad" role="alert">
            <strong>Not signed in</strong>
            <p>{problem}</p>
          </div>
        )}
        <button type="submit" className="button main" disabled={isBusy || token.trim() === ''}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
        {about?.quickstartTokens === true && (
          <div className="hint">
            <strong>This is the quickstart. Its tokens are public:</strong>
            <dl>
              {['quickstart-admin', 'quickstart-analyst'].map((known) => (
                <QuickToken
                  key={known}
                  token={known}
                  isBusy={isBusy}
                  onChoose={() => void signIn(known)}
                />
              ))}
            </dl>
          </div>
        )}
        {about?.docs === true && (
          <p className="quiet">
            Documentation: <a href="/docs">the HTTP API</a>
          </p>
        )}
      </form>
    </main>
  );
}

function QuickToken({
  token,
  isBusy,
  onChoose,
}: {
  readonly token: string;
  readonly isBusy: boolean;
  readonly onChoose: () => void;
}): ReactNode {
  return (
    <>
      <dt>
        <button type="button" className="button small" disabled={isBusy} onClick={onChoose}>
          Use <code>{token}</code>
        </button>
      </dt>
      <dd>{token.endsWith('admin') ? 'an admin' : 'queries only'}</dd>
    </>
  );
}
