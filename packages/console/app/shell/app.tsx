import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { useRoute } from '../router.ts';
import { unlessRefused } from '../call.ts';
import {
  storeToken,
  openSession,
  readStoredToken,
  type Session,
  SessionContext,
  useSession,
} from '../session.ts';
import { useResource } from '../use-resource.ts';
import { Failed, Loading } from '../widgets/states.tsx';
import { ToastsProvider } from '../widgets/toasts.tsx';
import { readAboutServer } from './about-server.ts';
import { findPage } from './pages.tsx';
import { Rail } from './rail.tsx';
import { SignIn } from './sign-in.tsx';

/** The whole console: the sign-in page, or the frame with the page of the address. */
export function App(): ReactNode {
  const [session, setSession] = useState<Session>();
  const [notice, setNotice] = useState<string>();
  const [isResuming, setIsResuming] = useState(() => readStoredToken() !== undefined);
  const [failure, setFailure] = useState<unknown>();
  const about = useResource('about', readAboutServer);
  const signOut = useCallback((why?: string) => {
    storeToken(undefined);
    // Signing out clears the tab; a session that expired keeps the draft.
    if (why === undefined) sessionStorage.clear();
    setSession(undefined);
    setFailure(undefined);
    setNotice(why);
  }, []);
  const onRefused = useCallback(
    () => signOut('The server no longer accepts your token. Sign in again.'),
    [signOut],
  );
  useEffect(() => {
    const token = readStoredToken();
    if (!isResuming || token === undefined) return undefined;
    // A second session would lack the text of the first one.
    let isLatest = true;
    const resume = async (): Promise<void> => {
      try {
        const opened = await unlessRefused(openSession(token, onRefused));
        if (!isLatest) return;
        if (opened === undefined) onRefused();
        else setSession(opened);
      } catch (error) {
        // The token may be valid: the server did not say.
        if (isLatest) setFailure(error);
      }
      if (isLatest) setIsResuming(false);
    };
    void resume();
    return () => {
      isLatest = false;
    };
  }, [isResuming, onRefused]);
  if (isResuming) return <Loading what="the console" />;
  if (failure !== undefined) {
    const retry = (): void => {
      setFailure(undefined);
      setIsResuming(true);
    };
    return <NotResumed error={failure} onRetry={retry} onSignOut={() => signOut()} />;
  }
  if (session === undefined) {
    const onSignedIn = (opened: Session, token: string): void => {
      storeToken(token);
      setNotice(undefined);
      setSession(opened);
    };
    return (
      <SignIn about={about.value} notice={notice} onSignedIn={onSignedIn} onRefused={onRefused} />
    );
  }
  return (
    <SessionContext value={session}>
      <ToastsProvider>
        <Frame version={about.value?.version} onSignOut={() => signOut()} />
      </ToastsProvider>
    </SessionContext>
  );
}

/** Replaces the console while the session of the tab cannot be opened again. */
function NotResumed({
  error,
  onRetry,
  onSignOut,
}: {
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly onSignOut: () => void;
}): ReactNode {
  return (
    <main className="state">
      <Failed error={error} onRetry={onRetry} />
      <button type="button" className="button small plain" onClick={onSignOut}>
        Sign out
      </button>
    </main>
  );
}

function Frame({
  version,
  onSignOut,
}: {
  readonly version: string | undefined;
  readonly onSignOut: () => void;
}): ReactNode {
  const place = useRoute();
  const { role } = useSession();
  const { page, refused } = findPage(place, role);
  useEffect(() => {
    document.title = `${page.title} – Quire`;
  }, [page.title]);
  return (
    <div className="shell">
      <button
        type="button"
        className="skip"
        onClick={() => document.querySelector<HTMLElement>('main')?.focus()}
      >
        Skip to the page
      </button>
      <Rail current={page.name} version={version} onSignOut={onSignOut} />
      <main className="main" tabIndex={-1}>
        {refused !== undefined && (
          <p className="notice warn" role="status">
            {refused.title} is for admins; this is {page.title}.
          </p>
        )}
        {page.render(place)}
      </main>
    </div>
  );
}
